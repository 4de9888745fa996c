import { describe, expect, it } from 'vitest';
import type { SettingsChange } from '../../../src/store/store.ts';
import { atOnce, countBy, day, make, newId, noon, type Subject } from './subject.ts';

const changes: SettingsChange[] = [
  { title: 'Another title' },
  { visibility: 'public' },
  { expiresAt: noon + day },
  { passwordHash: 'hash' },
  { readOnly: true },
  { burnAfterRead: true },
  { openEditing: true },
  { embedding: true },
  { comments: false },
  { paper: 'grid' },
  { title: 'All', visibility: 'private', expiresAt: noon, passwordHash: 'x', readOnly: true, comments: false, paper: 'dotted' },
];

export function settingsContract(subject: () => Subject): void {
  describe('changeSettings', () => {
    it.each(changes.map(change => [JSON.stringify(change), change] as const))('keeps %s', async (_, change) => {
      const { store } = subject();
      const { notebook, owner } = await make(store);
      const changed = { ...notebook, ...change, version: 2, updatedAt: noon + 1 };
      const result = await store.changeSettings(owner, change, noon + 1);
      expect(result).toStrictEqual({ kind: 'changed', notebook: changed });
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(changed);
    });

    it('removes password and expiry by null, and leaves what is not named', async () => {
      const { store } = subject();
      const { notebook, owner } = await make(store, { passwordHash: 'hash', expiresAt: noon + day });
      await store.changeSettings(owner, { title: 'T', passwordHash: undefined }, noon);
      expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ passwordHash: 'hash', expiresAt: noon + day });
      await store.changeSettings(owner, { passwordHash: null, expiresAt: null }, noon);
      expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ passwordHash: null, expiresAt: null, title: 'T' });
    });

    it('does not count a version when nothing changes', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, {}, ['a', 'b']);
      const same = { title: notebook.title, readOnly: false, pageOrder: pages.map(({ id }) => id) };
      for (const change of [{}, same]) {
        expect(await store.changeSettings(owner, change, noon + 1)).toStrictEqual({ kind: 'changed', notebook });
      }
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
    });

    it('lets a burned notebook open once more after burning was switched off and on', async () => {
      const { store } = subject();
      const { notebook, owner } = await make(store, { burnAfterRead: true });
      expect(await store.claimOpening(notebook.id, 'first', null, noon)).toBe(true);
      await store.changeSettings(owner, { burnAfterRead: false }, noon);
      expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ openedAt: null, readerHash: null });
      await store.changeSettings(owner, { burnAfterRead: true }, noon);
      expect(await store.claimOpening(notebook.id, 'second', null, noon)).toBe(true);
    });

    it('loses no change of many that are made at once', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const { notebook, owner } = await make(store);
      const single = changes.slice(0, 9);
      await atOnce(single.length, turn => stores[turn % 2]!.changeSettings(owner, single[turn]!, noon));
      const all = Object.assign({}, ...single);
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual({ ...notebook, ...all, version: 10 });
      await stores[1]!.close();
    });

    it('is refused as gone: rotated, taken down, deleted', async () => {
      const { store } = subject();
      const [rotated, down, deleted] = [await make(store), await make(store, { takenDownAt: noon }), await make(store)];
      await store.rotateEditToken(rotated.owner, newId() + newId(), noon);
      await store.deleteNotebook(deleted.owner, noon);
      for (const { owner, notebook } of [rotated, down, deleted]) {
        expect(await store.changeSettings(owner, { title: 'Mine again' }, noon)).toEqual({ kind: 'gone' });
        expect((await store.findNotebookBySlug(notebook.slug))?.title).not.toBe('Mine again');
      }
    });
  });

  describe('pageOrder', () => {
    it('moves the pages', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, {}, ['a', 'b', 'c', 'd']);
      const pageOrder = [2, 0, 3, 1].map(at => pages[at]!.id);
      const result = await store.changeSettings(owner, { pageOrder, title: 'Moved' }, noon + 1);
      expect(result).toMatchObject({ kind: 'changed', notebook: { title: 'Moved', version: 2 } });
      const heads = await store.listPageHeads(notebook.id);
      expect(heads.map(({ id }) => id)).toEqual(pageOrder);
      expect(heads.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
      expect(heads.map(({ revision }) => revision)).toEqual([1, 1, 1, 1]);
    });

    it('is done for 200 pages in one step', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, {}, Array(200).fill('x'));
      const pageOrder = pages.map(({ id }) => id).reverse();
      expect(await store.changeSettings(owner, { pageOrder }, noon)).toMatchObject({ kind: 'changed' });
      expect((await store.listPageHeads(notebook.id)).map(({ id }) => id)).toEqual(pageOrder);
    });

    it('must name every page once; otherwise nothing of the change is kept', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, {}, ['a', 'b']);
      const other = await make(store);
      const [a, b] = pages.map(({ id }) => id) as [string, string];
      for (const pageOrder of [[], [a], [a, a], [a, b, b], [a, b, newId()], [a, other.pages[0]!.id]]) {
        const result = await store.changeSettings(owner, { pageOrder, title: 'Half' }, noon);
        expect(result).toEqual({ kind: 'page_order_mismatch' });
      }
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
    });

    it('is content: a read-only notebook keeps its order, unless the same change ends read-only', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, { readOnly: true }, ['a', 'b']);
      const pageOrder = [pages[1]!.id, pages[0]!.id];
      for (const change of [{ pageOrder }, { pageOrder, title: 'T' }, { pageOrder, readOnly: true }]) {
        expect(await store.changeSettings(owner, change, noon)).toEqual({ kind: 'read_only' });
      }
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
      expect(await store.changeSettings(owner, { title: 'T' }, noon)).toMatchObject({ kind: 'changed' });
      expect(await store.changeSettings(owner, { pageOrder, readOnly: false }, noon)).toMatchObject({ kind: 'changed' });
      expect((await store.listPageHeads(notebook.id)).map(({ id }) => id)).toEqual(pageOrder);
    });

    it('may come with the change that makes the notebook read-only', async () => {
      const { store } = subject();
      const { pages, owner } = await make(store, {}, ['a', 'b']);
      const results = await atOnce(2, () =>
        store.changeSettings(owner, { pageOrder: [pages[1]!.id, pages[0]!.id], readOnly: true }, noon),
      );
      expect(countBy(results, ({ kind }) => kind)).toEqual({ changed: 1, read_only: 1 });
    });
  });
}
