import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createNotebook } from '../../src/operations/create-notebook.ts';
import { engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

/** Every kind of character that JSON or a cut could hurt, on both sides of every bound. */
const odd = '\u0001"\\\u2028é予🗓️ ';
const textOf = (page: number) => `# Page ${page}\n\n${odd.repeat(20_000)} needle${page}\n\n\n`;

describe.each(engines)('a notebook too large for one text on $name', engine => {
  let app: NotebookApp;
  let made: CreatedNotebook;
  const markdowns = [0, 1, 2, 3].map(textOf);
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
    made = await app.create({ title: 'Large', pages: markdowns.slice(0, 2).map(markdown => ({ markdown })) });
    for (const [at, markdown] of markdowns.slice(2).entries()) {
      const body = { markdown, title: at === 0 ? 'Given "title"' : undefined };
      await app.ask('POST', `/api/notebooks/${made.slug}/pages`, { token: made.editToken, body });
    }
  });
  afterAll(() => app.close());

  it('is read in pieces: the event loop turns for others after every 256 kB', async () => {
    let turns = 0;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const writing = vi.spyOn(app.parts.store, 'createNotebook').mockImplementation(async () => {
      end();
      return 'slug_taken';
    });
    let over = false;
    void ended.then(() => (over = true));
    const count = () => {
      if (over) return;
      turns += 1;
      setImmediate(count);
    };
    const pages = Array.from({ length: 40 }, () => ({ markdown: 'word '.repeat(26_000) }));
    setImmediate(count);
    await expect(createNotebook(app.parts, { pages }, 'address')).rejects.toThrow('already taken');
    writing.mockRestore();
    // Two pages a turn.
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  it('is answered whole, page by page, at every door of the API', async () => {
    const { slug, editToken: token } = made;
    const own = (await app.ask('GET', '/api/notebook', { token })).json();
    expect(own.pages.map((page: { markdown: string }) => page.markdown)).toEqual(markdowns);
    expect(own.pages.map((page: { title: string }) => page.title)).toEqual(['Page 0', 'Page 1', 'Given "title"', 'Page 3']);
    expect(own).toMatchObject({ slug, title: 'Large', lifecycle: 'active', hasPassword: false });
    const reader = (await app.ask('GET', `/api/notebooks/${slug}`)).json();
    expect(reader.pages).toEqual(own.pages);
    expect(reader.hasPassword).toBeUndefined();
    const changed = await app.ask('PATCH', `/api/notebooks/${slug}`, { token, body: { paper: 'grid' } });
    expect(changed.json().pages).toEqual(own.pages);
  });

  it('is not sent again to who has it', async () => {
    const { editToken: token } = made;
    const first = await app.ask('GET', '/api/notebook', { token });
    const again = await app.ask('GET', '/api/notebook', { token, headers: { 'if-none-match': String(first.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    const markdown = await app.ask('GET', `/n/${made.slug}.md`);
    const unchanged = await app.ask('GET', `/n/${made.slug}.md`, { headers: { 'if-none-match': String(markdown.headers.etag) } });
    expect([unchanged.statusCode, unchanged.body]).toEqual([304, '']);
  });

  it('is the same markdown as ever', async () => {
    const titled = markdowns.map((markdown, at) => (at === 2 ? `# Given "title"\n\n${markdown}` : markdown).replace(/\n+$/, ''));
    const expected = `${titled.join('\n\n---\n\n')}\n`;
    expect((await app.ask('GET', `/n/${made.slug}.md`)).body).toBe(expected);
    expect((await app.ask('GET', `/api/notebooks/${made.slug}`, { headers: { accept: 'text/markdown' } })).body).toBe(expected);
  });

  it('is searched to its end, across the borders of what is looked at in one turn', async () => {
    const border = `${'x'.repeat(16_380)}acrosstheborder ${'y '.repeat(40_000)}lastword`;
    const body = { markdown: border, title: 'Borders' };
    await app.ask('POST', `/api/notebooks/${made.slug}/pages`, { token: made.editToken, body });
    for (const [query, titles] of [
      ['needle3', ['Page 3']],
      ['acrosstheborder', ['Borders']],
      ['acrosstheborder lastword', ['Borders']],
      ['needle', ['Page 0', 'Page 1', 'Given', 'Page 3']],
      ['needle1 lastword', []],
    ] as const) {
      const { body: html } = await app.ask('GET', `/n/${made.slug}/find?q=${encodeURIComponent(query)}`);
      for (const title of titles) expect([query, html.includes(title)]).toEqual([query, true]);
      expect([query, html.match(/<li>/g)?.length ?? 0]).toEqual([query, titles.length]);
    }
  });
});
