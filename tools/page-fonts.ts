import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compress } from 'woff2-encoder';
import { renameFont } from './font-names.ts';

const { resolve } = createRequire(new URL('../apps/notebook/package.json', import.meta.url));

/** HarfBuzz's own. It comes without types. */
const subsetFont = createRequire(import.meta.url)('subset-font') as (
  font: Buffer,
  letters: string,
  options: {
    readonly targetFormat: 'truetype';
    readonly variationAxes: { readonly wght: { readonly min: number; readonly max: number } };
    readonly keepFeatures: readonly string[];
    readonly preserveNameIds: readonly number[];
  },
) => Promise<Buffer>;

/** The sheets that src/browser/styles/site.css imports, and what each family is called once it is cut. */
const families = {
  inter: { sheets: ['wght.css'], name: 'Octavo Sans' },
  'source-serif-4': { sheets: ['wght.css', 'wght-italic.css'], name: 'Octavo Serif' },
  'jetbrains-mono': { sheets: ['wght.css'], name: 'Octavo Mono' },
} as const;

/** No style asks for a thinner letter. Bold in a heading is 900, so the other end stays: it costs 2 kB. */
export const lightest = 400;

/**
 * What browsers use unasked, fractions around U+2044 among them, and the figures of one width that the styles ask for. No style reaches any
 * other shape of a letter.
 */
export const features = 'calt ccmp clig curs dnom frac kern liga locl mark mkmk numr rclt rlig rvrn tnum'.split(' ');

/** Copyright, version, and the licence's text and address. */
const keptNames = [0, 5, 13, 14];

/** @param range of a `@font-face`: `U+0-FF,U+131` */
function lettersOf(range: string): string {
  const letters: string[] = [];
  for (const [, first, last = first] of range.matchAll(/U\+([\da-f]+)(?:-([\da-f]+))?/gi))
    for (let code = Number.parseInt(first!, 16); code <= Number.parseInt(last!, 16); code++)
      letters.push(String.fromCodePoint(code));
  return letters.join('');
}

/**
 * One file of a typeface without what no page uses: thinner weights, shapes that no style asks for.
 * @param font WOFF2 @param range the letters that browsers take from it @param heaviest of its weights
 */
export async function cutFont(font: Buffer, range: string, heaviest: number, name: string): Promise<Buffer> {
  const cut = await subsetFont(font, lettersOf(range), {
    targetFormat: 'truetype',
    variationAxes: { wght: { min: lightest, max: heaviest } },
    keepFeatures: features,
    preserveNameIds: keptNames,
  });
  return Buffer.from(await compress(renameFont(cut, name)));
}

const face = /font-weight: \d+ (\d+);\s*src: url\(\.\/(files\/[\w.-]+)\)[^;]*;\s*unicode-range: ([^;]+);/g;

/**
 * The typefaces of the pages, cut from what npm installed and in folders as there (docs/decisions/0048). vite.config.ts takes them from here.
 * @param folder made anew
 */
export async function buildPageFonts(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [family, { sheets, name }] of Object.entries(families)) {
    const from = dirname(resolve(`@fontsource-variable/${family}/package.json`));
    await mkdir(join(folder, family, 'files'), { recursive: true });
    for (const sheet of sheets) {
      const css = await readFile(join(from, sheet), 'utf8');
      const faces = [...css.matchAll(face)];
      if (faces.length === 0 || faces.length !== css.split('@font-face').length - 1)
        throw new Error(`${family}/${sheet} has other rules`);
      for (const [, heaviest, file, range] of faces)
        await writeFile(
          join(folder, family, file!),
          await cutFont(await readFile(join(from, file!)), range!, Number(heaviest), name),
        );
      await writeFile(join(folder, family, sheet), css.replace(/(?<=font-weight: )\d+/g, String(lightest)));
    }
  }
}
