import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderEditor } from '../../src/views/editor.tsx';
import { renderHome } from '../../src/views/home.tsx';
import { renderNewNotebook } from '../../src/views/new-notebook.tsx';
import { renderQuick } from '../../src/views/quick.tsx';
import { renderView } from '../../src/views/view.tsx';
import { type ClientSite, startClientSite } from './client-site.ts';
import { attribute, Parsed } from './parsed.ts';
import { viewProps } from './samples.ts';

let site: ClientSite;

beforeAll(async () => {
  site = await startClientSite(client => ({
    '/': renderHome(client, { deleted: false }),
    '/new': renderNewNotebook(client, {}),
    '/quick': renderQuick(client, {}),
    '/view': renderView(client, viewProps()),
    '/diagrams': renderView(
      client,
      viewProps({ page: { ...viewProps().page, diagrams: true, html: '<pre><code class="language-mermaid">a</code></pre>' } }),
    ),
    '/busy': renderView(client, viewProps({ page: { ...viewProps().page, plain: 'busy', html: '<pre>\nA line</pre>' } })),
    '/edit': renderEditor(client, { mode: 'stored', slug: 'field-notes' }),
  }));
});
afterAll(() => site?.close());

const fetchText = async (path: string) => (await fetch(site.origin + path)).text();
const gzipped = (text: string) => gzipSync(text).length;

/** The module and everything it imports before it can run. */
async function scriptBytes(path: string, seen = new Set<string>()): Promise<number> {
  if (seen.has(path)) return 0;
  seen.add(path);
  const text = await fetchText(path);
  let bytes = gzipped(text);
  for (const [, name] of text.matchAll(/(?:from|import)\s*[`"']\.\/([\w.-]+\.js)[`"']/g))
    bytes += await scriptBytes(`/assets/${name}`, seen);
  return bytes;
}

async function weigh(path: string): Promise<{ html: number; styles: number; scripts: number; requests: number }> {
  const html = await fetchText(path);
  const parsed = new Parsed({ html });
  const urls = (tag: string, name: string) => parsed.all(tag).map(element => attribute(element, name) ?? '');
  const weight = { html: gzipped(html), styles: 0, scripts: 0, requests: 0 };
  for (const url of urls('link', 'href').filter(href => href.endsWith('.css'))) weight.styles += gzipped(await fetchText(url));
  const seen = new Set<string>();
  for (const url of urls('script', 'src')) weight.scripts += await scriptBytes(url, seen);
  weight.requests = seen.size;
  return weight;
}

it.each([
  // The home page publishes too; what reads the text comes with the first letter.
  ['/', 9_000, 8],
  ['/new', 7_000, 6],
  ['/quick', 6_500, 6],
])('%s has a script of a few kB: at most %i bytes in %i files', async (path, most, files) => {
  const { scripts, requests } = await weigh(path);
  expect(requests).toBeLessThanOrEqual(files);
  expect(scripts).toBeGreaterThan(500);
  expect(scripts).toBeLessThan(most);
});

it('a view transfers less than 60 kB without images and fonts, hardly any of it script', async () => {
  const { html, styles, scripts, requests } = await weigh('/view');
  // The theme, the reader's own, and what it shares.
  expect(requests).toBe(3);
  expect(html + styles + scripts).toBeLessThan(60_000);
  expect(scripts).toBeLessThan(2_500);
});

it('a view with a diagram brings a few kB more; the engine comes into its frame, after the page', async () => {
  const { html, styles, scripts } = await weigh('/diagrams');
  expect(html + styles + scripts).toBeLessThan(60_000);
  expect(scripts).toBeLessThan(6_050);
});

it('a view that is plain for the moment brings what asks for the rendered one: a few kB, once', async () => {
  const { html, styles, scripts, requests } = await weigh('/busy');
  expect(requests).toBe(4);
  expect(html + styles + scripts).toBeLessThan(60_000);
  expect(scripts).toBeLessThan(5_500);
});

it('the editor’s first script is less than 100 kB', async () => {
  const { scripts } = await weigh('/edit');
  expect(scripts).toBeGreaterThan(10_000);
  expect(scripts).toBeLessThan(100_000);
});

it('what the editor’s script imports is named in its page, so that all of it is requested at once', async () => {
  const parsed = new Parsed({ html: await fetchText('/edit') });
  const files = (tag: string, name: string) => parsed.all(tag).map(element => attribute(element, name) ?? '');
  const [, editor = ''] = files('script', 'src');
  const needed = new Set<string>();
  await scriptBytes(editor, needed);
  // Preact and what loads lazy parts are files of their own; the rest is one file (`editorAlone` in vite.config.ts).
  expect(needed.size).toBe(3);
  const named = parsed.all('link').filter(element => attribute(element, 'rel') === 'modulepreload');
  expect([editor, ...named.map(element => attribute(element, 'href'))].toSorted()).toEqual([...needed].toSorted());
});

it('the editor’s styles arrive before its script on a slow line', async () => {
  const parsed = new Parsed({ html: await fetchText('/edit') });
  const script = parsed.all('script').find(element => /editor-[^/]*\.js$/.test(attribute(element, 'src') ?? ''));
  const imports = parsed.all('link').filter(element => attribute(element, 'rel') === 'modulepreload');
  expect(imports.length).toBe(2);
  for (const late of [script!, ...imports]) expect(attribute(late, 'fetchpriority')).toBe('low');
});

it.each([
  ['/edit', 'low'],
  ['/view', undefined],
])('the typefaces of %s have the priority that its text needs: %s', async (path, priority) => {
  const links = new Parsed({ html: await fetchText(path) }).all('link');
  const typefaces = links.filter(element => attribute(element, 'as') === 'font').slice(0, 2);
  expect(typefaces.map(element => attribute(element, 'fetchpriority'))).toEqual([priority, priority]);
});
