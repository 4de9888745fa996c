import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app?.close());

const file = { path: 'Projects/Alpha.md', patch: 'secret remark' };
const filesOf = (slug: string, token?: string) =>
  app.ask('GET', `/api/notebooks/${slug}/files`, token === undefined ? {} : { token });

describe('the files of pages', () => {
  it('are told to the owner alone, by every door', async () => {
    const made = await app.create({ pages: [{ markdown: '# A', file }], openEditing: true });
    expect((await filesOf(made.slug, made.editToken)).json()).toEqual({ items: [{ pageId: made.pages[0]!.id, ...file }] });
    expect((await filesOf(made.slug)).statusCode).toBe(401);
    for (const path of [`/api/notebooks/${made.slug}`, `/n/${made.slug}`, `/n/${made.slug}.md`, `/n/${made.slug}/print`])
      expect((await app.ask('GET', path)).body, path).not.toMatch(/secret remark|Projects/);
  });

  it('are told whole when their patches are as long as a notebook', async () => {
    const patch = (at: number) => `${at} ${'\u0001é😀'.repeat(16_000)}`;
    const files = Array.from({ length: 5 }, (_, at) => ({ path: `${at}.md`, patch: patch(at) }));
    const made = await app.create({ pages: files.map(one => ({ markdown: one.path, file: one })) });
    const answer = await filesOf(made.slug, made.editToken);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['content-length']).toBeUndefined();
    expect(answer.json()).toEqual({ items: files.map((one, at) => ({ pageId: made.pages[at]!.id, ...one })) });
    expect((await filesOf(made.slug)).statusCode).toBe(401);
  });

  it('follow a change that names another, and are the owner’s to name', async () => {
    const made = await app.create({ pages: [{ markdown: '# A', file }], openEditing: true });
    const page = `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`;
    const moved = { path: 'Beta.md' };
    await app.ask('PATCH', page, { body: { markdown: '# B', file: moved } });
    expect((await filesOf(made.slug, made.editToken)).json().items[0]).toMatchObject(file);
    await app.ask('POST', `/api/notebooks/${made.slug}/pages`, { body: { markdown: '# V', file: moved } });
    expect((await filesOf(made.slug, made.editToken)).json().items).toHaveLength(1);
    await app.ask('PATCH', page, { token: made.editToken, body: { markdown: '# C', file: moved } });
    expect((await filesOf(made.slug, made.editToken)).json().items[0]).toMatchObject({ path: 'Beta.md', patch: '' });
  });

  it.each(['../up.md', '/etc/passwd', 'a//b.md', 'a\\b.md', 'C:x.md', 'a/./b.md', '', `${'x'.repeat(501)}`])(
    'refuse the path %j',
    async path => {
      const answer = await app.ask('POST', '/api/notebooks', { body: { pages: [{ markdown: 'x', file: { path } }] } });
      expect([answer.statusCode, answer.body.includes('pages[0].file.path')]).toEqual([422, true]);
    },
  );
});

describe('a page by the words of its title', () => {
  it('is the page by its id, and follows the title', async () => {
    const made = await app.create({ visibility: 'public', pages: [{ markdown: '# A' }, { markdown: '# Weekly plan' }] });
    const byWords = () => app.ask('GET', `/n/${made.slug}/p/weekly-plan`);
    const byId = await app.ask('GET', `/n/${made.slug}/p/${made.pages[1]!.id}`);
    expect((await byWords()).body).toBe(byId.body);
    expect(byId.body).toContain(`<link rel="canonical" href="http://localhost/n/${made.slug}/p/${made.pages[1]!.id}"`);
    await app.ask('PATCH', `/api/notebooks/${made.slug}/pages/${made.pages[1]!.id}`, {
      token: made.editToken,
      body: { title: 'Other' },
    });
    expect((await byWords()).statusCode).toBe(404);
  });
});
