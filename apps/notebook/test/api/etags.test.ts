import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
let made: CreatedNotebook;
beforeAll(async () => {
  app = await startNotebookApp();
  made = await app.create({ title: 'Looked at often', pages: [{ markdown: '# one' }, { markdown: 'two' }] });
});
afterAll(() => app.close());

const ask = (url: string, etag?: string) =>
  app.ask('GET', url, { token: made.editToken, headers: etag === undefined ? {} : { 'if-none-match': etag } });

describe.each([
  ['the notebook of an edit token', () => '/api/notebook'],
  ['a notebook', () => `/api/notebooks/${made.slug}`],
])('%s', (_name, path) => {
  it('is not sent again while it is the same', async () => {
    const etag = String((await ask(path())).headers.etag);
    const again = await ask(path(), etag);
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
  });

  it.each([
    ['a text', (at: number) => app.ask('PATCH', pagePath(), { token: made.editToken, body: { markdown: `changed ${at}` } })],
    ['a title', (at: number) => app.ask('PATCH', pagePath(), { token: made.editToken, body: { title: `Changed ${at}` } })],
    ['the order of pages', () => changeNotebook({ pageOrder: order().toReversed() })],
    ['a setting', (at: number) => changeNotebook({ title: `Changed ${at}` })],
    [
      'a new page',
      () => app.ask('POST', `/api/notebooks/${made.slug}/pages`, { token: made.editToken, body: { markdown: 'new' } }),
    ],
  ])('%s makes it another', async (_what, change) => {
    pages = (await ask('/api/notebook')).json().pages.map((page: { id: string }) => page.id);
    const etag = String((await ask(path())).headers.etag);
    expect((await change(Math.random())).statusCode).toBeLessThan(300);
    const again = await ask(path(), etag);
    expect(again.statusCode).toBe(200);
    expect(again.headers.etag).not.toBe(etag);
  });
});

it.each(['.md', '/print', '/find?q=one', '/find', ''])('/n/{slug}%s is not sent again while it is the same', async door => {
  const { slug, editToken, pages } = await app.create({ pages: [{ markdown: '# one' }] });
  const read = (etag?: string) =>
    app.ask('GET', `/n/${slug}${door}`, { headers: etag === undefined ? {} : { 'if-none-match': etag } });
  const first = await read();
  expect(first.headers).toMatchObject({ etag: expect.any(String), 'cache-control': 'private, no-cache' });
  const again = await read(String(first.headers.etag));
  expect([again.statusCode, again.body, again.headers['cache-control']]).toEqual([304, '', 'private, no-cache']);
  await app.ask('PATCH', `/api/notebooks/${slug}/pages/${pages[0]!.id}`, { token: editToken, body: { markdown: '# one two' } });
  await app.ask('PATCH', `/api/notebooks/${slug}`, { token: editToken, body: { title: 'Another' } });
  expect((await read(String(first.headers.etag))).statusCode).toBe(200);
  await app.ask('PATCH', `/api/notebooks/${slug}`, { token: editToken, body: { visibility: 'private' } });
  expect((await read(String(first.headers.etag))).statusCode).toBe(404);
});

it('a page is not sent again while its revision is the same', async () => {
  const etag = String((await ask(pagePath())).headers.etag);
  const same = await ask(pagePath(), etag);
  // RFC 9110 §15.4.5: a 304 names what the client may go on using.
  expect([same.statusCode, same.headers.etag]).toEqual([304, etag]);
  await app.ask('PATCH', pagePath(), { token: made.editToken, body: { markdown: 'a last change' } });
  expect((await ask(pagePath(), etag)).statusCode).toBe(200);
});

it('who does not accept markdown, or wants JSON more, gets JSON', async () => {
  for (const path of [`/api/notebooks/${made.slug}`, pagePath()]) {
    const typeFor = async (accept: string) =>
      String((await app.ask('GET', path, { headers: { accept } })).headers['content-type']).split(';')[0];
    expect(await typeFor('text/markdown')).toBe('text/markdown');
    expect(await typeFor('text/markdown;q=0, application/json')).toBe('application/json');
    expect(await typeFor('application/json, text/markdown;q=0.5')).toBe('application/json');
  }
});

// RFC 9110 §12.5.5: a browser's own memory would answer one form for the other.
it('an answer says on what its form depends', async () => {
  const varyOf = async (path: string, headers: Record<string, string>) =>
    String((await app.ask('GET', path, { headers })).headers.vary).split(/, ?/);
  for (const path of [`/api/notebooks/${made.slug}`, pagePath()])
    for (const accept of ['text/markdown', 'application/json']) expect(await varyOf(path, { accept }), path).toContain('Accept');
  for (const door of ['', '/print', '.md', '?slides'])
    for (const coding of ['br', 'identity'])
      expect(await varyOf(`/n/${made.slug}${door}`, { 'accept-encoding': coding }), door).toContain('Accept-Encoding');
});

it.each(['.md', '.epub'])('/n/{slug}%s runs nothing, frames nowhere and is in no search', async door => {
  const { headers } = await app.ask('GET', `/n/${made.slug}${door}`);
  expect(headers['x-robots-tag']).toBe('noindex');
  expect(String(headers['content-security-policy']).split('; ')).toEqual(
    expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", 'sandbox']),
  );
});

it('a page that is called by its place is sent again when that is another', async () => {
  const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'one' }, { markdown: 'two' }] });
  const [first, second] = pages.map(({ id }) => `/api/notebooks/${slug}/pages/${id}`);
  const { headers, ...before } = await app.ask('GET', second!);
  expect(before.json().title).toBe('Page 2');
  expect((await app.ask('DELETE', first!, { token: editToken })).statusCode).toBe(204);
  const again = await app.ask('GET', second!, { headers: { 'if-none-match': String(headers.etag) } });
  expect([again.statusCode, again.json().title]).toEqual([200, 'Page 1']);
});

// RFC 9110 §13.1.2: weakly, in a list of any length; a proxy that compresses makes a strong tag weak.
it.each(['.md', '/print', '/find', '', '/feed.atom', '/card.png'])('/n/{slug}%s: tags are compared weakly', async door => {
  const { slug } = await app.create({ visibility: 'public', pages: [{ markdown: '# one' }] });
  const read = (tags?: string) =>
    app.ask('GET', `/n/${slug}${door}`, { headers: tags === undefined ? {} : { 'if-none-match': tags } });
  const etag = String((await read()).headers.etag);
  const opaque = etag.replace(/^W\//, '');
  for (const tags of [opaque, `W/${opaque}`, `"other", ${opaque}`, `W/"other" ,\tW/${opaque},"another"`, '*'])
    expect([tags, (await read(tags)).statusCode]).toEqual([tags, 304]);
  for (const tags of ['', '"other"', `"${opaque.slice(2)}`, opaque.slice(1, -1), `W/${opaque.slice(1, -1)}`, `w/${opaque}`])
    expect([tags, (await read(tags)).statusCode]).toEqual([tags, 200]);
});

it('who may not read gets no 304 either', async () => {
  const etag = String((await ask(`/api/notebooks/${made.slug}`)).headers.etag);
  await changeNotebook({ visibility: 'private' });
  const answer = await app.ask('GET', `/api/notebooks/${made.slug}`, { headers: { 'if-none-match': etag } });
  expect(answer.statusCode).toBe(404);
});

let pages: string[] = [];
const order = () => pages;
const pagePath = () => `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`;
const changeNotebook = (body: object) => app.ask('PATCH', `/api/notebooks/${made.slug}`, { token: made.editToken, body });
