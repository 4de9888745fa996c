import { describe, expect, it } from 'vitest';
import { aNotebook, aPage, atOnce, countBy, day, make, newId, noon, type Subject } from './subject.ts';

export function notebooksContract(subject: () => Subject): void {
  describe('notebooks', () => {
    it('come back as they were kept, by slug and by token hash', async () => {
      const { store } = subject();
      const notebook = aNotebook({
        title: 'Überblick — 予定 🗓️',
        visibility: 'public',
        expiresAt: noon + 90 * day,
        passwordHash: '$2b$12$abcdefghijklmnopqrstuv',
        readOnly: true,
        burnAfterRead: true,
        openedAt: noon + 1,
        readerHash: 'f'.repeat(64),
        openEditing: true,
        embedding: true,
        comments: false,
        paper: 'kraft',
        version: 7,
        markdownBytes: 9,
      });
      expect(await store.createNotebook(notebook, [aPage(notebook.id, 0)])).toBe('created');
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
      expect(await store.findNotebookByTokenHash(notebook.editTokenHash)).toStrictEqual(notebook);
    });

    it('are not found by anything else', async () => {
      const { store } = subject();
      const { notebook } = await make(store);
      expect(await store.findNotebookBySlug(notebook.slug.toUpperCase())).toBeUndefined();
      expect(await store.findNotebookBySlug('')).toBeUndefined();
      expect(await store.findNotebookByTokenHash('0'.repeat(64))).toBeUndefined();
    });

    it('keep their pages in order, heads without the text', async () => {
      const { store } = subject();
      const { notebook, pages } = await make(store, {}, ['# a\r\n', '表 🈵 \t', '']);
      expect(await store.listPages(notebook.id)).toStrictEqual(pages);
      expect(await store.listPageHeads(notebook.id)).toStrictEqual(pages.map(({ markdown: _, ...head }) => head));
      expect(await store.findPage(notebook.id, pages[1]!.id)).toStrictEqual(pages[1]);
    });

    it('give the openings of the pages that have neither a title nor a heading', async () => {
      const { store } = subject();
      const { notebook, pages } = await make(store, {}, ['# a\r\n', '表 🈵 \t', `b${'🈵'.repeat(5_000)}`, '']);
      const untitled = pages.filter(({ givenTitle, heading }) => givenTitle === '' && heading === '');
      const openings = new Map((await store.listPageOpenings(notebook.id)).map(({ id, opening }) => [id, opening]));
      expect([...openings.keys()].sort()).toEqual(untitled.map(({ id }) => id).sort());
      for (const { id, markdown } of untitled) expect(openings.get(id)).toBe([...markdown].slice(0, 4_000).join(''));
    });

    it('do not answer with the page of another notebook', async () => {
      const { store } = subject();
      const [mine, other] = [await make(store), await make(store)];
      expect(await store.findPage(mine.notebook.id, other.pages[0]!.id)).toBeUndefined();
      expect(await store.findPage(mine.notebook.id, newId())).toBeUndefined();
    });

    it('of 100 created at once under one slug, one is', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const slug = `race-${newId()}`;
      const results = await atOnce(100, turn => {
        const notebook = aNotebook({ slug, title: `Number ${turn}` });
        return stores[turn % 2]!.createNotebook(notebook, [aPage(notebook.id, 0)]);
      });
      expect(countBy(results, result => result)).toEqual({ created: 1, slug_taken: 99 });
      const winner = await store.findNotebookBySlug(slug);
      expect(winner?.title).toBe(`Number ${results.indexOf('created')}`);
      expect(await store.listPages(winner!.id)).toHaveLength(1);
      await stores[1]!.close();
    });

    it('leave nothing behind when their slug is taken', async () => {
      const { store, sql } = subject();
      const { notebook } = await make(store);
      const second = aNotebook({ slug: notebook.slug });
      expect(await store.createNotebook(second, [aPage(second.id, 0)])).toBe('slug_taken');
      expect(await sql('SELECT id FROM pages WHERE notebook_id = ?', second.id)).toEqual([]);
    });
  });

  describe('a slug', () => {
    it('is taken while its notebook lives, and for the time kept after its deletion', async () => {
      const { store } = subject();
      const { notebook, owner } = await make(store);
      const freeAt = noon + 90 * day;
      expect(await store.isSlugTaken(notebook.slug, noon)).toBe(true);
      expect(await store.isSlugTaken(`${notebook.slug}x`, noon)).toBe(false);
      await store.deleteNotebook(owner, freeAt);

      const again = (createdAt: number) => aNotebook({ slug: notebook.slug, createdAt });
      expect(await store.isSlugTaken(notebook.slug, freeAt - 1)).toBe(true);
      expect(await store.createNotebook(again(freeAt - 1), [])).toBe('slug_taken');
      expect(await store.findNotebookBySlug(notebook.slug)).toBeUndefined();
      expect(await store.isSlugTaken(notebook.slug, freeAt)).toBe(false);
      expect(await store.createNotebook(again(freeAt), [])).toBe('created');
      expect(await store.isSlugTaken(notebook.slug, freeAt)).toBe(true);
    });

    it('is not caught by a person who asks while its notebook is being deleted', async () => {
      const { store, another } = subject();
      const other = await another();
      for (let round = 0; round < 10; round++) {
        const { notebook, owner } = await make(store);
        const snatch = () => other.createNotebook(aNotebook({ slug: notebook.slug }), []);
        const results = await Promise.all([snatch(), store.deleteNotebook(owner, noon + 90 * day), snatch(), snatch()]);
        expect(results).toEqual(['slug_taken', true, 'slug_taken', 'slug_taken']);
      }
      await other.close();
    });

    it('is kept by its hash alone', async () => {
      const { store, sql } = subject();
      const { notebook, owner } = await make(store);
      await store.deleteNotebook(owner, noon + 90 * day);
      const kept = await sql('SELECT slug_hash FROM freed_slugs');
      expect(kept.length).toBeGreaterThan(0);
      expect(JSON.stringify(kept)).not.toContain(notebook.slug);
    });
  });
}
