import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Site } from '../../views/props.ts';
import { nameBuild } from './build-name.ts';

const site: Site = {
  publicUrl: 'https://notes.example',
  imageOrigin: 'https://images.example',
  offline: true,
  assets: { styles: { site: '/a.css' }, scripts: {}, preloadFonts: [] } as unknown as Site['assets'],
};

it('a build is named by all that the bytes of a page depend on, and by nothing else', () => {
  const name = nameBuild('engine 1', site);
  expect(name).toMatch(/^[\w-]{22}$/);
  expect(nameBuild('engine 1', structuredClone(site))).toBe(name);
  const { imageOrigin: _image, offline: _offline, ...bare } = site;
  const others = [
    nameBuild('engine 2', site),
    nameBuild('engine 1', { ...site, publicUrl: 'https://other.example' }),
    nameBuild('engine 1', { ...site, imageOrigin: 'https://other.example' }),
    nameBuild('engine 1', { ...site, offline: false }),
    nameBuild('engine 1', { ...site, assets: { ...site.assets, preloadFonts: ['/b.woff2'] } }),
    nameBuild('engine 1', bare),
  ];
  expect(new Set([name, ...others]).size).toBe(others.length + 1);
  // An absent setting counts as off.
  expect(nameBuild('engine 1', { ...bare, offline: false })).toBe(nameBuild('engine 1', bare));
});

describe('the program', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'octavo-build-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** The name of a program made of these files. Each call loads a new program that has not read its files yet. */
  let programs = 0;
  async function nameOf(files: Record<string, string>, own = 'src/http/files/build-name.ts'): Promise<string> {
    const home = join(folder, String(++programs));
    const source = await readFile(join(import.meta.dirname, 'build-name.ts'), 'utf8');
    for (const [path, text] of Object.entries({ ...files, [own]: own.endsWith('.ts') ? source : stripTypeScriptTypes(source) })) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    }
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(join(home, own)).href)) as { nameBuild: typeof nameBuild };
    const name = loaded.nameBuild('engine', site);
    // The files are read only once.
    await rm(home, { recursive: true });
    expect(loaded.nameBuild('engine', site)).toBe(name);
    return name;
  }

  const sources = {
    'src/views/a.tsx': 'a',
    'src/views/z.ts': 'z',
    'src/routes/b.ts': 'b',
    'src/urls.ts': 'u',
    'src/http/c.ts': 'c',
  };

  it('from its sources has another name when anything that draws changes', async () => {
    const name = await nameOf(sources);
    expect(await nameOf(Object.fromEntries(Object.entries(sources).toReversed()))).toBe(name);
    for (const path of [
      'views/a.tsx',
      'views/deep/new.ts',
      'images/new.js',
      'markdown/m.ts',
      'model/m.ts',
      'routes/b.ts',
      'urls.ts',
      'limits.ts',
    ]) {
      expect(await nameOf({ ...sources, [`src/${path}`]: 'changed' }), path).not.toBe(name);
    }
    for (const path of [
      'views/a.test.tsx',
      'views/a.test.ts',
      'views/a.md',
      'views/a.ts.map',
      'http/c.ts',
      'store/s.ts',
      'views/folder.ts/a.md',
    ])
      expect(await nameOf({ ...sources, [`src/${path}`]: 'changed' }), path).toBe(name);
  });

  it('that is built has another name when any of its scripts changes', async () => {
    const own = 'server/chunks/build-name.js';
    const built = { 'server/chunks/a.js': 'a', 'server/chunks/deep/b.js': 'b', 'server/main.js': 'm' };
    const name = await nameOf(built, own);
    for (const path of ['a.js', 'deep/b.js', 'new.js']) {
      expect(await nameOf({ ...built, [`server/chunks/${path}`]: 'changed' }, own), path).not.toBe(name);
    }
    expect(await nameOf({ ...built, 'server/chunks/a.json': '{}' }, own)).toBe(name);
  });
});
