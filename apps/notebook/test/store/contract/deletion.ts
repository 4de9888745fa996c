import { describe, expect, it } from 'vitest';
import { aChange, day, indexAll, make, newId, noon, type Subject } from './subject.ts';

export function deletionContract(subject: () => Subject): void {
  describe('deleteNotebook', () => {
    it.each([
      ['', 0],
      [', however long the text', 2_000_000],
    ])('leaves no row in any table that mentions the notebook, its slug, its pages or its text%s', async (_, more) => {
      const { store, tables, sql } = subject();
      const texts = ['Erdbeertorte', `Rhabarber${'\n'.repeat(more)}`];
      const made = await make(store, { visibility: 'public', title: 'Zwischenablage' }, texts);
      const { notebook, owner, pages } = made;
      const snapshotId = newId();
      await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'Kirschkuchen', newSnapshotId: snapshotId }), noon);
      const kept = { json: `{"html":"Kirschkuchen${' '.repeat(more)}"}`, packed: null };
      for (const { id } of pages) await store.keepRendering(id, { revision: 2, variant: 'view', engine: '1' }, kept);
      const marks = [notebook.id, notebook.slug, notebook.editTokenHash, snapshotId, ...pages.map(({ id }) => id)];
      const words = ['Zwischenablage', 'Erdbeertorte', 'Rhabarber', 'Kirschkuchen'];

      const search = async () => {
        const found: string[] = [];
        for (const table of await tables()) {
          const text = JSON.stringify(await sql(`SELECT * FROM ${table}`));
          found.push(...[...marks, ...words].filter(mark => text.includes(mark)).map(mark => `${table}: ${mark}`));
        }
        return found;
      };
      await indexAll(store);
      const before = await search();
      for (const mark of [...marks, ...words]) expect(before.join('\n')).toContain(mark);

      expect(await store.deleteNotebook(owner, noon + 90 * day)).toBe(true);
      await indexAll(store);
      expect(await search()).toEqual([]);
      expect(await store.findNotebookBySlug(notebook.slug)).toBeUndefined();
    });

    it('is open to the owner of a notebook that is read-only, and not of one that was taken down', async () => {
      const { store } = subject();
      const [kept, down] = [await make(store, { readOnly: true }), await make(store, { takenDownAt: noon })];
      expect(await store.deleteNotebook(kept.owner, noon)).toBe(true);
      expect(await store.findNotebookBySlug(kept.notebook.slug)).toBeUndefined();
      expect(await store.deleteNotebook(down.owner, noon)).toBe(false);
      expect(await store.findNotebookBySlug(down.notebook.slug)).toBeDefined();
    });

    it('happens once, and never with a token that was rotated away', async () => {
      const { store } = subject();
      const [kept, gone] = [await make(store), await make(store)];
      await store.rotateEditToken(kept.owner, newId() + newId(), noon);
      expect(await store.deleteNotebook(kept.owner, noon)).toBe(false);
      expect(await store.findNotebookBySlug(kept.notebook.slug)).toBeDefined();
      const twice = [store.deleteNotebook(gone.owner, noon), store.deleteNotebook(gone.owner, noon)];
      expect((await Promise.all(twice)).sort()).toEqual([false, true]);
    });
  });
}
