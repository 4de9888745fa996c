import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { readBook } from '../book/epub-file.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app.close());

const create = (more = '') =>
  app.create({
    title: 'Shopping',
    visibility: 'public',
    pages: [{ markdown: `Milk and eggs\n\nthe rest${more}` }, { markdown: '- Nails, screws\n- glue' }, { markdown: '' }],
  });

const get = async (path: string) => (await app.ask('GET', path)).body;
const linkTo = (html: string, href: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
    .filter(([, to]) => to!.replace(/#:~:.*/, '') === href)
    .map(([, , words]) => words!.replace(/<[^>]*>/g, '').trim());

const viewOf = ({ slug, pages }: CreatedNotebook, place: number) => get(`/n/${slug}/p/${pages[place]!.id}`);

it('are called by their first line in the view: title, list and the links to the pages around', async () => {
  const made = await create();
  const [, second, third] = made.pages.map(({ id }) => `/n/${made.slug}/p/${id}`);
  const html = await viewOf(made, 1);
  expect(html).toContain('<title>Nails, screws · Shopping');
  expect(linkTo(html, `/n/${made.slug}`)).toEqual(expect.arrayContaining(['Milk and eggs', 'Previous Milk and eggs']));
  expect(linkTo(html, second!)).toContain('Nails, screws');
  expect(linkTo(html, third!)).toEqual(expect.arrayContaining(['Untitled page', 'Next Untitled page']));
  expect(html).not.toMatch(/Page \d<|Page \d ·/);
});

it('have a heading that nobody sees twice', async () => {
  const made = await create();
  const heading = async (place: number) => /<h1([^>]*)>(.*?)<\/h1>/s.exec(await viewOf(made, place))!.slice(1);
  expect(await heading(1)).toEqual([expect.stringContaining('class="visually-hidden"'), 'Nails, screws']);
  expect(await heading(2)).toEqual([expect.not.stringContaining('visually-hidden'), 'Untitled page']);
});

it.each([
  ['prose', 'Milk and eggs\n\nthe rest', 'Milk and eggs'],
  ['a list', '- **Milk** and eggs\n- the rest', 'Milk and eggs'],
  ['a stack trace', 'Error: no **milk** left\n    at shop (shop.js:1:1)\n    at town (town.js:1:1)', 'Error: no **milk** left'],
  ['a long line', `${'Milk and '.repeat(30)}eggs`, `${'Milk and '.repeat(8)}Milk an…`],
])('a pasted text that is called by its first line begins with it, without a heading: %s', async (_, text, title) => {
  const headers = { 'content-type': 'text/plain', accept: 'application/json' };
  const { notebook, editToken } = (await app.ask('POST', '/api/quick', { body: text, headers })).json();
  const view = async () => /<h1([^>]*)>(.*?)<\/h1>/s.exec(await get(`/n/${notebook.slug}`))!.slice(1);
  expect(await view()).toEqual([expect.stringContaining('class="visually-hidden"'), title]);
  const page = `/api/notebooks/${notebook.slug}/pages/${notebook.pages[0].id}`;
  await app.ask('PATCH', page, { token: editToken, body: { markdown: `Bread\n\n${text}` } });
  expect(await view()).toEqual([expect.not.stringContaining('visually-hidden'), title]);
});

it.each([
  ['a short', ''],
  ['a long', `\n\n${'word '.repeat(20_000)}`],
])('are called the same in the print and the EPUB of %s notebook', async (_, more) => {
  const made = await create(more);
  const names = ['Milk and eggs', 'Nails, screws', 'Untitled page'];
  const print = await get(`/n/${made.slug}/print`);
  expect(made.pages.map(({ id }) => linkTo(print, `#sheet-${id}`)[0])).toEqual(names);
  expect([...print.matchAll(/<section[^>]* aria-label="([^"]*)"/g)].map(([, label]) => label)).toEqual(names);
  const files = readBook((await app.ask('GET', `/n/${made.slug}.epub`)).rawPayload);
  expect([...files.get('book/nav.xhtml')!.matchAll(/<li><a href="page[^>]*>(.*?)<\/a>/g)].map(([, name]) => name)).toEqual(names);
  expect(files.get('book/page-2.xhtml')).toContain('<title>Nails, screws</title>');
  expect(files.get('book/page-2.xhtml')).not.toContain('<h1');
});

it('are called the same in a frame, the feed, “Find” and the search', async () => {
  const made = await create();
  await app.ask('PATCH', `/api/notebooks/${made.slug}`, { token: made.editToken, body: { embedding: true } });
  const embed = await get(`/n/${made.slug}/embed`);
  expect(embed).toContain('>Nails, screws</a>');
  expect(await get(`/n/${made.slug}/feed.atom`)).toContain('>Nails, screws</title>');
  const found = (html: string) => linkTo(html, `/n/${made.slug}/p/${made.pages[1]!.id}`);
  expect(found(await get(`/n/${made.slug}/find?q=glue`))).toEqual(['Nails, screws']);
  await expect.poll(async () => found(await get('/search?q=glue')), { timeout: 30_000 }).toEqual(['Nails, screws']);
});

it('are numbered in the view of a notebook whose texts would take too long to read', async () => {
  const made = await create(`\n\n${'word '.repeat(limits.wholeNotebookBytes / 5)}`);
  expect(await viewOf(made, 1)).toContain('<title>Page 2 · Shopping');
});

it('keep their number in the API, and have it in their address', async () => {
  const made = await create();
  expect(made.pages.map(({ title }) => title)).toEqual(['Page 1', 'Page 2', 'Page 3']);
  expect((await app.ask('GET', `/n/${made.slug}/p/page-2`)).body).toContain('<title>Nails, screws');
});
