import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compress } from 'woff2-encoder';
import { renameFont } from './font-names.ts';

const { resolve } = createRequire(new URL('../apps/notebook/package.json', import.meta.url));

/** Subsetting with HarfBuzz. The package has no types. */
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

/** The sheets that src/browser/styles/site.css imports, and each family's name after cutting. */
const families = {
  inter: { sheets: ['wght.css'], name: 'Octavo Sans' },
  'source-serif-4': { sheets: ['wght.css', 'wght-italic.css'], name: 'Octavo Serif' },
  'jetbrains-mono': { sheets: ['wght.css'], name: 'Octavo Mono' },
} as const;

/** No style uses a lighter weight. Bold in a heading is 900, so the other end stays: it costs 2 kB. */
export const lightest = 400;

/**
 * The features that browsers use by default, including fractions around U+2044, and the tabular figures that the styles request.
 * No style uses any other shape of a letter.
 */
export const features = 'calt ccmp clig curs dnom frac kern liga locl mark mkmk numr rclt rlig rvrn tnum'.split(' ');

/** Copyright, version, and the license's text and URL. */
const keptNames = [0, 5, 13, 14];

/** @param range as in a `@font-face`: `U+0-FF,U+131` */
function lettersOf(range: string): string {
  const letters: string[] = [];
  for (const [, first, last = first] of range.matchAll(/U\+([\da-f]+)(?:-([\da-f]+))?/gi))
    for (let code = Number.parseInt(first!, 16); code <= Number.parseInt(last!, 16); code++)
      letters.push(String.fromCodePoint(code));
  return letters.join('');
}

/**
 * Cuts one file of a typeface: removes weights and shapes that no page uses.
 * @param font WOFF2
 * @param range the letters that browsers take from it
 * @param heaviest the heaviest weight to keep
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
 * Cuts the page typefaces from what npm installed, into the same folders as there (docs/decisions/0048). vite.config.ts takes
 * them from here.
 * @param folder is created anew
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
