import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { createOldDatabase, type OldNotebook, readOldDatabase } from './old-databases/load.ts';

const images = {
  R2_ENDPOINT: 'https://store.example',
  R2_ACCESS_KEY_ID: 'key',
  R2_SECRET_ACCESS_KEY: 'secret',
  R2_BUCKET: 'images',
  R2_PUBLIC_URL: 'https://images.example',
};

/** Older versions listed files by the ids of their pages; this one lists them as the pages stand. */
function inPageOrder({ own, files = [] }: OldNotebook) {
  const places = own.pages.map(page => page.id);
  return files.toSorted((a, b) => places.indexOf(a.pageId) - places.indexOf(b.pageId));
}

const cases = engines.flatMap(engine => ['0003', '0012'].map(name => ({ engine, name, on: engine.name })));

describe.each(cases)('a database of version $name on $on, opened by this version', ({ engine, name }) => {
  const old = readOldDatabase(name);
  const named = (name: string) => old.notebooks.find(notebook => notebook.name === name)!;
  let database: Database;
  let app: NotebookApp;
  beforeAll(async () => {
    database = await createOldDatabase(engine, old);
    app = await startNotebookApp({ engine: { ...engine, createDatabase: async () => database }, env: images });
    app.clock.now = Date.parse(old.at) + 60_000;
  });
  afterAll(() => app?.close());

  const json = async (url: string, token?: string) => (await app.ask('GET', url, token ? { token } : {})).json();
  const itemsOf = async ({ slug, editToken }: OldNotebook, rest: string) =>
    (await json(`/api/notebooks/${slug}/${rest}`, editToken)).items;

  it('has every notebook as it was, for its owner and for readers', async () => {
    for (const notebook of old.notebooks) {
      const { slug, editToken: token } = notebook;
      // Fields may have been added since.
      expect(await json('/api/notebook', token), slug).toMatchObject(notebook.own);
      const reader = await app.ask('GET', `/api/notebooks/${slug}`);
      expect([slug, reader.statusCode]).toEqual([slug, notebook.reader]);
      expect((await app.ask('GET', `/n/${slug}.md`, { token })).body).toBe(notebook.markdown);
      expect((await app.ask('GET', `/n/${slug}`, { token })).statusCode, slug).toBe(200);
      expect((await app.ask('GET', `/e/${token}`)).statusCode, slug).toBe(200);
    }
  });

  it('has comments, earlier versions, images and files', async () => {
    for (const notebook of old.notebooks) {
      expect(await itemsOf(notebook, 'comments')).toEqual(notebook.comments ?? []);
      expect(await itemsOf(notebook, 'images')).toEqual(notebook.images ?? []);
      expect(await itemsOf(notebook, 'files')).toEqual(inPageOrder(notebook));
      for (const snapshot of notebook.snapshots ?? [])
        expect(await json(`/api/notebooks/${notebook.slug}/snapshots/${snapshot.id}`, notebook.editToken)).toEqual(snapshot);
    }
    expect((await itemsOf(named('public'), `pages/${named('public').own.pages[1]!.id}/snapshots`)).length).toBe(3);
  });

  it('shows what is rendered by this version, not what the older one kept', async () => {
    const view = await app.ask('GET', '/n/field-guide');
    expect(view.body).toContain('robin');
    expect(view.body).not.toContain('As an older version drew it.');
  });

  it('takes the password, and cookies that were given before', async () => {
    const { slug, password } = named('locked');
    const wrong = await app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password: 'guess' } });
    const right = await app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password } });
    expect([wrong.statusCode, right.statusCode]).toEqual([401, 204]);
    for (const { slug, cookie = '', byCookie } of [named('locked'), named('opened')])
      expect((await app.ask('GET', `/n/${slug}.md`, { headers: { cookie } })).body).toBe(byCookie);
  });

  it('lets in no edit link that was replaced, and gives nobody the slug of a deleted notebook', async () => {
    const { formerToken = '' } = named('rotated');
    expect((await app.ask('GET', '/api/notebook', { token: formerToken })).statusCode).toBe(404);
    expect(await json('/api/slugs/deleted-one')).toMatchObject({ available: false, reason: 'taken' });
  });

  // PostgreSQL's index was in the database, and is not among the rows here.
  if (engine.name === 'SQLite')
    it('is searched', async () => {
      await expect
        .poll(async () => (await json('/api/search?q=zwetschgenbaum')).items.map(({ slug }: OldNotebook) => slug))
        .toEqual(['field-guide']);
    });

  it('knows how much text each notebook holds, and saves', async () => {
    for (const notebook of old.notebooks) {
      const stored = await app.parts.store.findNotebookBySlug(notebook.slug);
      const texts = (notebook.own as unknown as { pages: { markdown: string }[] }).pages.map(({ markdown }) => markdown);
      const files = notebook.files ?? [];
      const bytes = Buffer.byteLength([...texts, ...files.flatMap(({ path, patch }) => [path, patch])].join(''));
      expect([notebook.slug, stored!.markdownBytes]).toEqual([notebook.slug, bytes]);
      const [page] = notebook.own.pages;
      const answer = await app.ask('PATCH', `/api/notebooks/${notebook.slug}/pages/${page!.id}`, {
        token: notebook.editToken,
        body: { markdown: '# Written now' },
        headers: { 'if-match': `"${page!.revision}"` },
      });
      expect([notebook.slug, answer.statusCode]).toEqual([notebook.slug, notebook.name === 'readOnly' ? 409 : 200]);
    }
  });
});
