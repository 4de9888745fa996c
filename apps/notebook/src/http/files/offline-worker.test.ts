import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../limits.ts';
import { urls } from '../../urls.ts';
import type { AssetUrls } from '../../views/props.ts';
import { composeOfflineWorker, noOfflineWorker } from './offline-worker.ts';

const code = 'addEventListener("fetch", event => event.respondWith(answer(event)));';
const names = ['theme', 'home', 'new-notebook', 'quick', 'reader', 'editor', 'slides'];
const assets = {
  styles: { site: '/assets/site.css', editor: '/assets/editor.css', print: '/assets/print.css', slides: '/assets/slides.css' },
  scripts: Object.fromEntries(names.map(name => [name, `/assets/${name}.js`])),
  preloadFonts: ['/assets/serif.woff2'],
} as unknown as AssetUrls;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octavo-offline-'));
  await mkdir(join(folder, '.vite'));
  await mkdir(join(folder, 'assets'));
  const chunks = {
    ...Object.fromEntries(names.map(name => [`src/browser/${name}.ts`, { file: `assets/${name}.js`, imports: ['_shared.js'] }])),
    'src/browser/editor.ts': { file: 'assets/editor.js', imports: ['_shared.js'], dynamicImports: ['src/browser/find.ts'] },
    'src/browser/find.ts': { file: 'assets/find.js' },
    '_shared.js': { file: 'assets/shared.js' },
    'src/browser/offline/worker.ts': { file: 'assets/worker.js' },
  };
  await writeFile(join(folder, '.vite', 'manifest.json'), JSON.stringify(chunks));
  await writeFile(join(folder, 'assets', 'worker.js'), code);
  for (const name of [
    'preview-worker-A.js',
    'find-worker-A.js.br',
    'tex-to-mathml-A.js',
    'other-worker-A.js',
    'my-find-worker-A.js',
  ])
    await writeFile(join(folder, 'assets', name), '');
});
afterEach(() => rm(folder, { recursive: true }));

function read(worker: string) {
  const [first = '', ...rest] = worker.split('\n');
  expect(rest.join('\n')).toBe(code);
  expect(first).toMatch(/^const octavoShell = \{.*\};$/);
  return JSON.parse(first.slice('const octavoShell = '.length, -1));
}

describe('the service worker', () => {
  it('has the list of what it keeps in front of its code', () => {
    const { known, ...shell } = read(composeOfflineWorker(folder, assets));
    expect(shell).toEqual({
      editor: {
        page: urls.edit('offline'),
        slug: 'offline',
        files: ['editor.css', 'editor.js', 'find.js', 'preview-worker-A.js', 'shared.js', 'tex-to-mathml-A.js'].map(
          name => `/assets/${name}`,
        ),
      },
      pages: [urls.home(), urls.newNotebook(), urls.quick(), urls.offline()],
      files: ['site.css', 'serif.woff2', 'theme.js', 'shared.js', 'home.js', 'new-notebook.js', 'quick.js', 'reader.js'].map(
        name => `/assets/${name}`,
      ),
      mostKept: limits.maxPagesKeptOffline,
      version: expect.stringMatching(/^[\w-]{12}$/),
    });
    expect(known).toHaveLength(10);
    expect(known).toContain('/assets/slides.js');
  });

  it('has another version as soon as its code or its list is another, and else the same', async () => {
    const version = () => read(composeOfflineWorker(folder, assets)).version;
    const first = version();
    expect(version()).toBe(first);
    await writeFile(join(folder, 'assets', 'find-worker-A.js'), '');
    const second = version();
    await writeFile(join(folder, 'assets', 'worker.js'), `${code}\n`);
    const [, ...rest] = composeOfflineWorker(folder, assets).split('\n');
    expect(rest.join('\n')).toBe(`${code}\n`);
    const third = /"version":"([\w-]+)"/.exec(composeOfflineWorker(folder, assets))![1];
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('that is switched off takes its copies along, and nobody else’s', () => {
    expect(noOfflineWorker).toContain("if (name.startsWith('octavo-')) await caches.delete(name)");
    expect(noOfflineWorker).toContain('registration.unregister()');
  });
});
