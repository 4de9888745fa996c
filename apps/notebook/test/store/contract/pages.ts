import { describe, expect, it } from 'vitest';
import type { NewPage, Store } from '../../../src/store/store.ts';
import { aChange, aNotebook, aPage, atOnce, countBy, filesIn, make, newId, noon, type Subject } from './subject.ts';

const newPage = (markdown = 'new'): NewPage => ({ id: newId(), givenTitle: 'Given', heading: 'Heading', markdown });

export function pagesContract(subject: () => Subject): void {
  describe('addPage', () => {
    it('puts a page at the end, after another one, or says that there is no such page', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, {}, ['a', 'b']);
      const last = newPage();
      const kept = { ...last, notebookId: notebook.id, position: 2, revision: 1, updatedAt: noon + 1 };
      expect(await store.addPage(owner, last, undefined, noon + 1)).toStrictEqual({ kind: 'added', page: kept });
      const second = newPage();
      expect(await store.addPage(owner, second, pages[0]!.id, noon + 2)).toMatchObject({ kind: 'added', page: { position: 1 } });
      expect(await order(store, notebook.id)).toEqual([pages[0]!.id, second.id, pages[1]!.id, last.id]);
      expect(await store.addPage(owner, newPage(), newId(), noon)).toEqual({ kind: 'after_missing' });
      expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ version: 3, updatedAt: noon + 2 });
    });

    it('keeps the file that a page came from, until the page is deleted', async () => {
      const { store } = subject();
      const { notebook, owner } = await make(store);
      const file = { path: 'Äpfel/予定.md', patch: '@@ -1 +1 @@' };
      const other = aPage(newId(), 0);
      const fresh = aNotebook();
      await store.createNotebook(fresh, [{ ...other, notebookId: fresh.id, file }]);
      expect(await filesIn(store, fresh.id)).toEqual([{ pageId: other.id, ...file }]);
      const page = { ...newPage(), file };
      await store.addPage(owner, page, undefined, noon);
      await store.addPage(owner, newPage(), undefined, noon);
      expect(await filesIn(store, notebook.id)).toEqual([{ pageId: page.id, ...file }]);
      expect(await store.listPagePaths(notebook.id)).toEqual([{ pageId: page.id, path: file.path }]);
      const moved = { path: 'moved.md', patch: '' };
      expect(await store.changePage(owner, page.id, aChange({ file: moved }), noon)).toMatchObject({ kind: 'unchanged' });
      expect(await store.changePage(owner, fresh.id, aChange({ file: moved }), noon)).toEqual({ kind: 'page_missing' });
      expect(await filesIn(store, notebook.id)).toEqual([{ pageId: page.id, ...moved }]);
      await store.deletePage(owner, page.id, noon);
      expect(await filesIn(store, notebook.id)).toEqual([]);
    });

    it('lists the files of pages in the order of the pages', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store);
      // Each is added in front of those before it.
      for (const path of ['5', '4', '3', '2', '1'])
        await store.addPage(owner, { ...newPage(), file: { path, patch: '' } }, pages[0]!.id, noon);
      expect((await filesIn(store, notebook.id)).map(file => file?.path)).toEqual(['1', '2', '3', '4', '5']);
    });

    it('adds one page for all requests of one key, also at once, and answers it as it is now', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const { notebook, pages, owner } = await make(store, {}, ['a']);
      const results = await atOnce(10, turn =>
        stores[turn % 2]!.addPage(owner, { ...newPage(`${turn}`), key: 'one' }, undefined, noon),
      );
      expect(countBy(results, ({ kind }) => kind)).toEqual({ added: 1, added_before: 9 });
      const ids = new Set(results.map(result => ('page' in result ? result.page.id : result.kind)));
      expect(await order(store, notebook.id)).toEqual([pages[0]!.id, ...ids]);
      const [id] = [...ids] as [string];
      await store.changePage(owner, id, aChange({ markdown: 'later' }), noon);
      const again = () => store.addPage(owner, { ...newPage(), key: 'one' }, undefined, noon);
      expect(await again()).toMatchObject({ kind: 'added_before', page: { id, markdown: 'later', revision: 2 } });
      // A key means nothing in another notebook, and goes with its page.
      const other = await make(store, {}, ['b']);
      const there = { ...newPage(), key: 'one' };
      expect(await store.addPage(other.owner, there, undefined, noon)).toMatchObject({ kind: 'added', page: { id: there.id } });
      await store.deletePage(owner, id, noon);
      expect(await again()).toMatchObject({ kind: 'added' });
      await stores[1]!.close();
    });

    it('stops at 200 pages, however many are added at once', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const { notebook, owner } = await make(store, {}, Array(180).fill('x'));
      const results = await atOnce(40, turn => stores[turn % 2]!.addPage(owner, newPage(), undefined, noon));
      expect(countBy(results, ({ kind }) => kind)).toEqual({ added: 20, page_limit: 20 });
      expect(await order(store, notebook.id)).toHaveLength(200);
      await stores[1]!.close();
    });
  });

  describe('changePage', () => {
    it('changes what is named, counts the revision and the version', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, {}, ['# Old\n', 'other']);
      const change = aChange({ markdown: '# New\n', heading: 'New' });
      const changed = { ...pages[0]!, markdown: '# New\n', heading: 'New', revision: 2, updatedAt: noon + 9 };
      expect(await store.changePage(owner, pages[0]!.id, change, noon + 9)).toStrictEqual({ kind: 'changed', page: changed });
      expect(await store.listPages(notebook.id)).toStrictEqual([changed, pages[1]]);
      expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ version: 2, updatedAt: noon + 9 });

      const titled = await store.changePage(owner, pages[0]!.id, aChange({ givenTitle: 'Mine' }), noon + 10);
      expect(titled).toStrictEqual({
        kind: 'changed',
        page: { ...changed, givenTitle: 'Mine', revision: 3, updatedAt: noon + 10 },
      });
    });

    it('leaves revision, version and snapshots alone when nothing changes', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store);
      const same = aChange({ markdown: pages[0]!.markdown, givenTitle: '', expectedRevision: 1 });
      expect(await store.changePage(owner, pages[0]!.id, same, noon + 9)).toStrictEqual({ kind: 'unchanged', page: pages[0] });
      expect(await store.changePage(owner, pages[0]!.id, aChange(), noon + 9)).toMatchObject({ kind: 'unchanged' });
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
      expect(await store.listSnapshots(notebook.id, pages[0]!.id)).toEqual([]);
    });

    it('answers a stale revision with the page as it stands, and changes nothing', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store);
      await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'theirs' }), noon + 1);
      const stale = await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'mine', expectedRevision: 1 }), noon + 2);
      const theirs = { ...pages[0]!, markdown: 'theirs', revision: 2, updatedAt: noon + 1 };
      expect(stale).toStrictEqual({ kind: 'stale', page: theirs });
      expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ version: 2, updatedAt: noon + 1 });
    });

    it('lets one of 40 savers with the same revision win; the others are shown its text', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const { notebook, pages, owner } = await make(store);
      const results = await atOnce(40, turn =>
        stores[turn % 2]!.changePage(owner, pages[0]!.id, aChange({ markdown: `by ${turn}`, expectedRevision: 1 }), noon),
      );
      expect(countBy(results, ({ kind }) => kind)).toEqual({ changed: 1, stale: 39 });
      const markdown = `by ${results.findIndex(({ kind }) => kind === 'changed')}`;
      for (const result of results) expect(result).toMatchObject({ page: { markdown, revision: 2 } });
      expect(await store.listSnapshots(notebook.id, pages[0]!.id)).toHaveLength(1);
      await stores[1]!.close();
    });

    it('counts every one of many savers that name no revision', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store);
      await atOnce(30, turn => store.changePage(owner, pages[0]!.id, aChange({ markdown: `by ${turn}` }), noon));
      expect((await store.findPage(notebook.id, pages[0]!.id))?.revision).toBe(31);
      expect((await store.findNotebookBySlug(notebook.slug))?.version).toBe(31);
    });

    it('does not reach a page of another notebook', async () => {
      const { store } = subject();
      const [mine, other] = [await make(store), await make(store)];
      const change = aChange({ markdown: 'stolen' });
      expect(await store.changePage(mine.owner, other.pages[0]!.id, change, noon)).toEqual({ kind: 'page_missing' });
      expect(await store.deletePage(mine.owner, other.pages[0]!.id, noon)).toEqual({ kind: 'page_missing' });
      expect(await store.listPages(other.notebook.id)).toStrictEqual(other.pages);
    });
  });

  describe('deletePage', () => {
    it('closes the gap', async () => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, {}, ['a', 'b', 'c']);
      expect(await store.deletePage(owner, pages[1]!.id, noon + 1)).toEqual({ kind: 'deleted' });
      expect(await order(store, notebook.id)).toEqual([pages[0]!.id, pages[2]!.id]);
      expect(await store.deletePage(owner, pages[1]!.id, noon + 1)).toEqual({ kind: 'page_missing' });
      expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ version: 2, updatedAt: noon + 1 });
    });

    it('does not delete what its writer has not seen', async () => {
      const { store } = subject();
      const { pages, owner } = await make(store, {}, ['a', 'b']);
      const page = pages[1]!.id;
      await store.changePage(owner, page, aChange({ markdown: 'newer' }), noon);
      expect(await store.deletePage(owner, page, noon, 1)).toMatchObject({
        kind: 'stale',
        page: { markdown: 'newer', revision: 2 },
      });
      expect(await store.deletePage(owner, page, noon, 2)).toEqual({ kind: 'deleted' });
    });

    it('keeps the last page, no matter how many delete at once', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const { notebook, pages, owner } = await make(store, {}, ['a', 'b', 'c', 'd']);
      const results = await atOnce(4, turn => stores[turn % 2]!.deletePage(owner, pages[turn]!.id, noon));
      expect(countBy(results, ({ kind }) => kind)).toEqual({ deleted: 3, last_page: 1 });
      expect(await order(store, notebook.id)).toHaveLength(1);
      await stores[1]!.close();
    });
  });

  it('positions have no gaps after adding, deleting and reordering at once', async () => {
    const { store, another } = subject();
    const other = await another();
    const { notebook, pages, owner } = await make(store, {}, Array(20).fill('x'));
    const reversed = pages.map(({ id }) => id).reverse();
    await Promise.all([
      ...pages.slice(0, 10).map(({ id }) => store.deletePage(owner, id, noon)),
      ...pages.slice(10).map(({ id }) => other.addPage(owner, newPage(), id, noon)),
      store.changeSettings(owner, { pageOrder: reversed }, noon),
      other.changeSettings(owner, { pageOrder: reversed }, noon),
    ]);
    expect(await order(store, notebook.id)).toHaveLength(20);
    await other.close();
  });
}

/** The ids in order; expects positions from 0 without a gap. */
async function order(store: Store, notebookId: string): Promise<string[]> {
  const heads = await store.listPageHeads(notebookId);
  expect(heads.map(({ position }) => position)).toEqual(heads.map((_, at) => at));
  return heads.map(({ id }) => id);
}
