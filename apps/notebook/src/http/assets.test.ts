import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isHashedAsset, readAssetUrls } from './assets.ts';

const scripts = [
  'site/theme.ts',
  'home/home.ts',
  'site/new-notebook.ts',
  'site/quick.ts',
  'site/reader.ts',
  'site/book.ts',
  'site/slides.ts',
  'site/once.ts',
  'site/zoom.ts',
  'editor/editor.tsx',
  'diagrams/diagrams.ts',
  'diagrams/frame.ts',
];
const styles = ['site', 'print', 'slides', 'editor'];
const fonts = ['source-serif-4-latin-wght-normal', 'inter-latin-wght-normal'];

let folder: string;
let manifest: Record<string, { file: string }>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octavo-assets-'));
  await mkdir(join(folder, '.vite'));
  manifest = Object.fromEntries([
    ...scripts.map(name => [`src/browser/${name}`, { file: `assets/${basename(name).replace(/\.tsx?$/, '')}-AbCd1234.js` }]),
    ...styles.map(name => [`src/browser/styles/${name}.css`, { file: `assets/${name}-AbCd1234.css` }]),
    ...fonts.map(name => [`../somewhere/files/${name}.woff2`, { file: `assets/${name}-AbCd1234.woff2` }]),
  ]);
});
afterEach(() => rm(folder, { recursive: true }));

const write = () => writeFile(join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));

it('answers the address of every file a page asks for', async () => {
  await write();
  const assets = readAssetUrls(folder);
  expect(assets.styles.print).toBe('/assets/print-AbCd1234.css');
  expect(assets.scripts.theme).toBe('/assets/theme-AbCd1234.js');
  expect(assets.preloadFonts).toEqual(fonts.map(name => `/assets/${name}-AbCd1234.woff2`));
});

it('stops the start when a file is missing, by its name', async () => {
  delete manifest['src/browser/site/quick.ts'];
  await write();
  expect(() => readAssetUrls(folder)).toThrow('src/browser/site/quick.ts');
});

it('says to build when there is no build', () => {
  expect(() => readAssetUrls(folder)).toThrow('not built');
});

it.each([
  ['/assets/site-BWY23FEv.css', true],
  ['/assets/inter-latin-wght-normal-Dx4kXJAl.woff2', true],
  ['/assets/favicon.svg', false],
  ['/favicon.svg', false],
])('%s may be kept for ever: %s', (path, hashed) => {
  expect(isHashedAsset(path)).toBe(hashed);
});
