import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Blob, Face, Feature, Font, shape, Buffer as Text, Variation } from 'harfbuzzjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { decompress } from 'woff2-encoder';
import { cutFont, lightest } from './page-fonts.ts';

const { resolve } = createRequire(new URL('../apps/notebook/package.json', import.meta.url));
const styles = new URL('../apps/notebook/src/browser/styles/', import.meta.url);

/** Covers kerning, ligatures, marks, a fraction around U+2044, tabular figures, arrows, small accents. */
const sample = 'Affine fjord ffi AVATA To. “Quoted” – 1⁄2, 0123, naïve Œuvre ÅÄÖ ßçñ e\u0301 -> ± × €';
const weights = [400, 450, 550, 620, 700, 900];

interface Drawn {
  readonly advances: readonly number[];
  readonly outlines: readonly string[];
}

function draw(face: Face, weight: number, figures: boolean): Drawn {
  const font = new Font(face);
  font.setVariations([new Variation('wght', weight)]);
  const text = new Text();
  text.addText(sample);
  text.guessSegmentProperties();
  shape(font, text, figures ? [new Feature('tnum', 1)] : []);
  const glyphs = text.getGlyphInfosAndPositions();
  return {
    advances: glyphs.map(({ xAdvance, xOffset }) => xAdvance! + xOffset! / 10_000),
    outlines: glyphs.map(({ codepoint }) => font.glyphToPath(codepoint)),
  };
}

const numbersOf = (paths: readonly string[]) =>
  paths
    .join(' ')
    .match(/-?[\d.]+/g)!
    .map(Number);
/** The largest difference between the two lists. */
const apart = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length
    ? Math.max(...one.map((value, index) => Math.abs(value - other[index]!)))
    : Number.POSITIVE_INFINITY;

describe.each([
  ['inter', 'inter-latin-wght-normal'],
  ['source-serif-4', 'source-serif-4-latin-wght-normal'],
  ['source-serif-4', 'source-serif-4-latin-wght-italic'],
  ['jetbrains-mono', 'jetbrains-mono-latin-wght-normal'],
])('%s cut: %s', (family, file) => {
  let [whole, cut]: Buffer[] = [];
  let [wholeFace, cutFace]: Face[] = [];
  let letters: number[];

  beforeAll(async () => {
    const sheet = readFileSync(
      resolve(`@fontsource-variable/${family}/${file.includes('italic') ? 'wght-italic' : 'wght'}.css`),
      'utf8',
    );
    const rule = sheet.split('@font-face').find(text => text.includes(`${file}.woff2`))!;
    const range = /unicode-range: ([^;]+)/.exec(rule)![1]!;
    whole = readFileSync(resolve(`@fontsource-variable/${family}/files/${file}.woff2`));
    cut = await cutFont(whole, range, Number(/font-weight: \d+ (\d+)/.exec(rule)![1]), 'Octavo Test');
    [wholeFace, cutFace] = (await Promise.all(
      [whole, cut].map(async font => new Face(new Blob((await decompress(font!)) as Uint8Array<ArrayBuffer>))),
    )) as [Face, Face];
    const ranges = [...range.matchAll(/U\+([\da-f]+)(?:-([\da-f]+))?/gi)].map(([, first, last = first]) =>
      [first!, last!].map(code => Number.parseInt(code, 16)),
    );
    letters = [...wholeFace.collectUnicodes()].filter(code => ranges.some(([first, last]) => code >= first! && code <= last!));
  });

  it('loses at least a quarter of its bytes', () => {
    expect(cut!.length).toBeLessThan(whole!.length * 0.75);
  });

  it('has every letter that pages use', () => {
    expect(letters.length).toBeGreaterThan(200);
    const kept = new Set(cutFace!.collectUnicodes());
    expect(letters.filter(code => !kept.has(code))).toEqual([]);
  });

  it.each(weights)('draws as before at %i', weight => {
    for (const figures of [false, true]) {
      const [before, after] = [draw(wholeFace!, weight, figures), draw(cutFace!, weight, figures)];
      expect(before.advances.length).toBeGreaterThan(50);
      // In units of 1,000 or 2,048 per em: what rounding leaves.
      expect(apart(before.advances, after.advances)).toBeLessThanOrEqual(1);
      expect(apart(numbersOf(before.outlines), numbersOf(after.outlines))).toBeLessThanOrEqual(2);
    }
  });

  it('uses no name that its license reserves, and names its owner', async () => {
    const text = Buffer.from(await decompress(cut!))
      .toString('latin1')
      .replaceAll('\0', '');
    expect(text).toContain('Octavo Test');
    expect(text).toContain('OctavoTest');
    expect(text).not.toMatch(/Source Serif|SourceSerif|Inter Regular|Inter-Regular|JetBrains Mono Regular|JetBrainsMono-Regular/);
    expect(text).toMatch(/Adobe Systems|Project Authors/);
    expect(text).toMatch(/OFL|openfontlicense/);
  });
});

describe('the styles', () => {
  const sheets = readdirSync(styles)
    .filter(name => name.endsWith('.css'))
    .map(name => [name, readFileSync(new URL(name, styles), 'utf8')] as const);
  const found = (pattern: RegExp) =>
    sheets.flatMap(([name, css]) => [...css.matchAll(pattern)].map(match => [name, match[1]!] as const));

  it('ask for no weight that was cut off', () => {
    const asked = found(/font(?:-weight)?: (?:italic )?(\d{3})\b/g);
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.filter(([, weight]) => Number(weight) < lightest)).toEqual([]);
    expect(found(/font(?:-weight)?: [^;]*\b(lighter)\b/g)).toEqual([]);
  });

  it('ask for no shape of a letter that was cut off', () => {
    const asked = found(/font-(?:variant-(?!emoji)|feature-)[\w-]*: ([^;]+);/g).filter(([name]) => name !== 'math.css');
    expect(new Set(asked.map(([, shapes]) => shapes))).toEqual(new Set(['tabular-nums', 'none']));
  });
});
