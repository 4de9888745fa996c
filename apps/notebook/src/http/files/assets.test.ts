import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isHashedAsset, readAssetUrls, readBuild } from './assets.ts';

const scripts = [
  'site/theme.ts',
  'home/home.ts',
  'site/new-notebook.ts',
  'site/quick.ts',
  'site/reader.ts',
  'site/fit-to-paper.ts',
  'site/book.ts',
  'site/slides.ts',
  'site/once.ts',
  'site/unlock.ts',
  'site/later.ts',
  'site/zoom.ts',
  'site/own-edit.ts',
  'editor/editor.tsx',
  'diagrams/diagrams.ts',
  'diagrams/frame.ts',
];
const styles = ['site', 'print', 'slides', 'editor'];
const fonts = ['source-serif-4-latin-wght-normal', 'inter-latin-wght-normal'];
const others = { italic: 'source-serif-4-latin-wght-italic', mono: 'jetbrains-mono-latin-wght-normal' };

let folder: string;
let manifest: Record<string, { file: string; imports?: string[] }>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octavo-assets-'));
  await mkdir(join(folder, '.vite'));
  manifest = Object.fromEntries([
    ...scripts.map(name => [`src/browser/${name}`, { file: `assets/${basename(name).replace(/\.tsx?$/, '')}-AbCd1234.js` }]),
    ...styles.map(name => [`src/browser/styles/${name}.css`, { file: `assets/${name}-AbCd1234.css` }]),
    ...[...fonts, ...Object.values(others)].map(name => [
      `../somewhere/files/${name}.woff2`,
      { file: `assets/${name}-AbCd1234.woff2` },
    ]),
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
  expect(assets.fonts).toEqual({
    italic: `/assets/${others.italic}-AbCd1234.woff2`,
    mono: `/assets/${others.mono}-AbCd1234.woff2`,
  });
});

it('answers what the editor imports before it can run, and what those import, each once', async () => {
  manifest['src/browser/editor/editor.tsx']!.imports = ['_ui.js', '_texts.js'];
  manifest['_ui.js'] = { file: 'assets/ui-AbCd1234.js', imports: ['_texts.js', '_words.js'] };
  manifest['_texts.js'] = { file: 'assets/texts-AbCd1234.js' };
  manifest['_words.js'] = { file: 'assets/words-AbCd1234.js' };
  await write();
  const names = readAssetUrls(folder).editorImports.toSorted();
  expect(names).toEqual(['texts', 'ui', 'words'].map(name => `/assets/${name}-AbCd1234.js`));
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
  ['/assets/site-BWY23FEv.css/more', false],
  ['/favicon.svg', false],
])('%s may be kept for ever: %s', (path, hashed) => {
  expect(isHashedAsset(path)).toBe(hashed);
});

describe('what was built', () => {
  beforeEach(async () => {
    const chunks = {
      'src/a.ts': { file: 'assets/a.js', imports: ['_b.js'], dynamicImports: ['src/d.ts'] },
      '_b.js': { file: 'assets/b.js', imports: ['_c.js'] },
      // A circular import, as bundlers produce it.
      '_c.js': { file: 'assets/c.js', imports: ['_b.js'] },
      'src/d.ts': { file: 'assets/d.js', imports: ['_c.js'], dynamicImports: ['src/e.ts'] },
      'src/e.ts': { file: 'assets/e.js' },
      'src/other.css': { file: 'assets/other.css' },
    };
    await writeFile(join(folder, '.vite', 'manifest.json'), JSON.stringify(chunks));
  });

  it('says what a script needs before it runs, and what it may ask for later, each once', () => {
    const { closureOf, lazyClosureOf } = readBuild(folder);
    expect(closureOf('/assets/a.js')).toEqual(['/assets/a.js', '/assets/b.js', '/assets/c.js']);
    expect(closureOf('/assets/e.js')).toEqual(['/assets/e.js']);
    expect(lazyClosureOf('/assets/a.js').toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'].map(name => `/assets/${name}.js`));
    expect(closureOf('/assets/unknown.js')).toEqual(['/assets/unknown.js']);
    expect(lazyClosureOf('/assets/unknown.js')).toEqual(['/assets/unknown.js']);
  });

  it('says where a source went, and that one is missing', () => {
    const { source, files } = readBuild(folder);
    expect(source('src/d.ts')).toBe('assets/d.js');
    expect(() => source('src/none.ts')).toThrow('The client build has no src/none.ts. Run `npm run build` again.');
    expect(files).toEqual([...['a', 'b', 'c', 'd', 'e'].map(name => `/assets/${name}.js`), '/assets/other.css']);
  });

  it('is missing as a whole where nothing was built', async () => {
    await rm(join(folder, '.vite'), { recursive: true });
    expect(() => readBuild(folder)).toThrow('The client is not built yet.');
  });
});
