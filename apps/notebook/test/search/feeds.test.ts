import { XmlDocument, type XmlElement } from 'libxml2-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { urls } from '../../src/urls.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

interface Read {
  readonly [name: string]: string;
}

/** What a feed says of itself and of its entries; refuses what is no XML or lacks what RFC 4287 §4.1 demands. */
function readFeed(xml: string): { feed: Read; entries: Read[] } {
  const document = XmlDocument.fromString(xml);
  const names = { a: 'http://www.w3.org/2005/Atom' };
  const text = (node: XmlElement, path: string) => {
    const found = node.get(path, names);
    expect(found, path).not.toBeNull();
    return (found as XmlElement).content;
  };
  const read = (node: XmlElement): Read => ({
    id: text(node, 'a:id'),
    title: text(node, 'a:title'),
    updated: text(node, 'a:updated'),
    alternate: text(node, 'a:link[@rel="alternate"]/@href'),
  });
  const { root } = document;
  expect(root.name).toBe('feed');
  const feed = { ...read(root), author: text(root, 'a:author/a:name'), self: text(root, 'a:link[@rel="self"]/@href') };
  const entries = root.find('a:entry', names).map(entry => ({
    ...read(entry as XmlElement),
    summary: text(entry as XmlElement, 'a:summary'),
  }));
  document.dispose();
  return { feed, entries };
}

describe.each(engines)('feeds on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  it('a page keeps its id when another one comes first (RFC 4287 §4.2.6)', async () => {
    const { slug, editToken, pages } = await app.create({
      visibility: 'public',
      pages: [
        { title: 'One', markdown: 'a' },
        { title: 'Two', markdown: 'b' },
      ],
    });
    const idsByTitle = async () => {
      const { entries } = readFeed((await app.ask('GET', urls.feed(slug))).body);
      return Object.fromEntries(entries.map(({ title, id }) => [title, id]));
    };
    const before = await idsByTitle();
    const pageOrder = pages.map(({ id }) => id).reverse();
    await app.ask('PATCH', `/api/notebooks/${slug}`, { token: editToken, body: { pageOrder } });
    expect(await idsByTitle()).toEqual(before);
    expect(new Set(Object.values(before)).size).toBe(2);
  });

  it('a public notebook’s pages, the one changed last first, with their first words', async () => {
    const made = await app.create({
      visibility: 'public',
      title: 'Notes & <plans> \u0001',
      pages: [{ markdown: '# One\n\nfirst *words*' }, { markdown: 'two\u202e ]]> & more' }],
    });
    const before = app.clock.now;
    app.clock.now += 60_000;
    const second = made.pages[1]!.id;
    await app.ask('PATCH', `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`, {
      token: made.editToken,
      body: { markdown: '# One\n\nother *words*' },
      headers: { 'if-match': '"1"' },
    });
    const answer = await app.ask('GET', urls.feed(made.slug));
    expect(answer.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    const { feed, entries } = readFeed(answer.body);
    expect(feed).toMatchObject({
      title: 'Notes & <plans>',
      self: `http://localhost/n/${made.slug}/feed.atom`,
      alternate: `http://localhost/n/${made.slug}`,
      updated: new Date(app.clock.now).toISOString(),
    });
    expect(entries).toEqual([
      expect.objectContaining({ alternate: `http://localhost/n/${made.slug}`, summary: 'One other words' }),
      expect.objectContaining({
        alternate: `http://localhost/n/${made.slug}/p/${second}`,
        summary: 'two ]]> & more',
        updated: new Date(before).toISOString(),
      }),
    ]);
  });

  it('is linked by the title that it has itself, whatever the page is called', async () => {
    const pages = [{ markdown: '# One' }, { markdown: '# Two' }];
    const made = await app.create({ visibility: 'public', title: 'Plans', pages });
    const linked = async (url: string) =>
      /type="application\/atom\+xml" title="([^"]*)" href="([^"]*)"/.exec((await app.ask('GET', url)).body)?.slice(1);
    for (const url of [`/n/${made.slug}`, `/n/${made.slug}/p/${made.pages[1]!.id}`])
      expect(await linked(url)).toEqual(['Plans', `/n/${made.slug}/feed.atom`]);
    for (const url of ['/search', '/search?q=plans']) expect(await linked(url)).toEqual(['Public notebooks', '/feed.atom']);
  });

  it('the only page, without a title of its own, has the notebook’s: in the feed, in find and in the search', async () => {
    const made = await app.create({ visibility: 'public', title: 'Picnic basket', pages: [{ markdown: 'marmalade' }] });
    expect(readFeed((await app.ask('GET', urls.feed(made.slug))).body).entries[0]).toMatchObject({ title: 'Picnic basket' });
    expect((await app.ask('GET', `/n/${made.slug}/find?q=marmalade`)).body).not.toContain('Page 1');
    await expect
      .poll(async () => (await app.ask('GET', '/search?q=marmalade')).body, { timeout: 30_000 })
      .toContain('Picnic basket');
    expect((await app.ask('GET', '/search?q=marmalade')).body).not.toContain('Page 1');
  });

  it('answers 304 while nothing changed', async () => {
    const made = await app.create({ visibility: 'public', pages: [{ markdown: 'one' }] });
    const { etag } = (await app.ask('GET', urls.feed(made.slug))).headers as { etag: string };
    const again = () => app.ask('GET', urls.feed(made.slug), { headers: { 'if-none-match': etag } });
    expect((await again()).statusCode).toBe(304);
    await app.ask('PATCH', `/api/notebooks/${made.slug}`, { token: made.editToken, body: { title: 'Other' } });
    expect((await again()).statusCode).toBe(200);
  });

  it.each([
    ['unlisted', { visibility: 'unlisted' }, 404],
    ['private', { visibility: 'private' }, 404],
    ['locked', { visibility: 'public', password: 'open sesame' }, 401],
    ['burn-after-read', { visibility: 'public', burnAfterRead: true }, 200],
  ])('%s: no word of it', async (_, settings, status) => {
    const made = await app.create({ title: 'Wintergreen', pages: [{ markdown: 'Wintergreen' }], ...settings });
    const answer = await app.ask('GET', urls.feed(made.slug));
    expect(answer.statusCode).toBe(status);
    expect(answer.body).not.toMatch(/Wintergreen|<feed/);
    expect((await app.ask('GET', `/n/${made.slug}`)).body).not.toContain('feed.atom');
    expect((await app.ask('GET', urls.publicFeed())).body).not.toContain('Wintergreen');
  });

  it('the public notebooks, the one changed last first; none is a feed too', async () => {
    const made = await app.create({ visibility: 'public', title: 'Newest', pages: [{ markdown: 'one' }, { markdown: 'two' }] });
    app.clock.now += 1_000;
    await app.ask('PATCH', `/api/notebooks/${made.slug}`, { token: made.editToken, body: { title: 'Newest of all' } });
    const { feed, entries } = readFeed((await app.ask('GET', urls.publicFeed())).body);
    expect(feed.updated).toBe(new Date(app.clock.now).toISOString());
    expect(entries[0]).toMatchObject({
      title: 'Newest of all',
      alternate: `http://localhost/n/${made.slug}`,
      summary: '2 pages',
    });
    const empty = await startNotebookApp({ engine });
    expect(readFeed((await empty.ask('GET', urls.publicFeed())).body).entries).toEqual([]);
    await empty.close();
  });
});
