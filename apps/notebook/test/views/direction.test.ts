import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app?.close());

it('controls of direction are in no name and no description, wherever those are taken from', async () => {
  const markdown = 'invoice\u202efdp.exe\n\nmore\u2067words';
  const { slug, pages, editToken } = await app.create({
    title: 'A\u202ab',
    visibility: 'public',
    pages: [{ markdown: '# H\u202de' }, { markdown }],
  });
  const address = `/n/${slug}/p/${pages[1]!.id}`;
  // Rendered now, and from what was kept: a new title makes another document of the same rendering.
  for (const title of ['Ab', 'A\u202bc']) {
    await app.ask('PATCH', `/api/notebooks/${slug}`, { token: editToken, body: { title } });
    const outside = (await app.ask('GET', address)).body.replace(/<div class="prose">.*?<\/div>/s, '');
    expect(outside).toContain(`<title>invoicefdp.exe · ${title.replace('\u202b', '')} · Octavo</title>`);
    expect(outside).toContain('content="2 pages. morewords"');
    expect(outside).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  }
  expect((await app.ask('GET', `/n/${slug}`)).body).toContain('>invoicefdp.exe</span>');
  expect((await app.ask('GET', `/n/${slug}/feed.atom`)).body).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});
