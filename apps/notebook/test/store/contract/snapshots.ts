import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { aChange, atOnce, type Made, make, minute, newId, noon, type Subject } from './subject.ts';

export function snapshotsContract(subject: () => Subject): void {
  describe('snapshots', () => {
    it('hold the text that a change replaced, with its revision, its title and its size', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['# Äpfel 🍏\n']);
      const { notebook, pages, owner } = made;
      const id = newId();
      await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'new', heading: '', newSnapshotId: id }), noon + 1);
      const head = { id, pageId: pages[0]!.id, revision: 1, createdAt: noon + 1, bytes: 14 };
      expect(await store.listSnapshots(notebook.id, pages[0]!.id)).toStrictEqual([head]);
      const snapshot = { ...head, title: 'Page 0', markdown: '# Äpfel 🍏\n' };
      expect(await store.findSnapshot(notebook.id, id)).toStrictEqual(snapshot);
      expect(await store.findPage(notebook.id, pages[0]!.id)).toMatchObject({ markdown: 'new' });
    });

    it('are named after the given title, the heading, or the place of the page', async () => {
      const { store } = subject();
      const made = await make(store);
      await save(store, made, { givenTitle: 'Given' }, noon);
      await save(store, made, { givenTitle: '', heading: '' }, noon);
      await save(store, made, { markdown: 'end' }, noon);
      expect(await titles(store, made)).toEqual(['Page 1', 'Given', 'Page 0']);
    });

    it('are made by auto-save only when the newest is older than five minutes, or there is none', async () => {
      const { store } = subject();
      const made = await make(store);
      const tick = (text: string, now: number) => save(store, made, { markdown: text, autosave: true }, now);
      await tick('first', noon);
      expect(await count(store, made)).toBe(1);
      await tick('within five minutes', noon + 5 * minute);
      expect(await count(store, made)).toBe(1);
      await tick('after five minutes', noon + 5 * minute + 1);
      expect(await count(store, made)).toBe(2);
      await save(store, made, { markdown: 'by hand' }, noon + 5 * minute + 2);
      expect(await count(store, made)).toBe(3);
      await tick('soon after that', noon + 10 * minute);
      expect(await count(store, made)).toBe(3);
    });

    it('are the newest ten, newest first, also when made in one millisecond', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['text 0']);
      for (let turn = 1; turn <= 14; turn++) await save(store, made, { markdown: `text ${turn}` }, noon);
      const heads = await store.listSnapshots(made.notebook.id, made.pages[0]!.id);
      expect(heads.map(({ revision }) => revision)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
      const texts = await Promise.all(heads.map(({ id }) => store.findSnapshot(made.notebook.id, id)));
      expect(texts.map(snapshot => snapshot?.markdown)).toEqual(heads.map(({ revision }) => `text ${revision - 1}`));
    });

    it('never exceed ten while many save at once', async () => {
      const { store, another, sql } = subject();
      const stores = [store, await another()];
      const made = await make(store);
      await atOnce(60, turn => save(stores[turn % 2]!, made, { markdown: `by ${turn}` }, noon));
      const rows = await sql('SELECT revision FROM snapshots WHERE page_id = ? ORDER BY revision', made.pages[0]!.id);
      expect(rows.map(({ revision }) => Number(revision))).toEqual([51, 52, 53, 54, 55, 56, 57, 58, 59, 60]);
      await stores[1]!.close();
    });

    it('belong to their page and notebook', async () => {
      const { store } = subject();
      const [mine, other] = [await make(store, {}, ['a', 'b']), await make(store)];
      const id = newId();
      await save(store, mine, { markdown: 'new', newSnapshotId: id }, noon);
      expect(await store.findSnapshot(other.notebook.id, id)).toBeUndefined();
      expect(await store.findSnapshot(mine.notebook.id, id)).toMatchObject({ pageId: mine.pages[0]!.id });
      expect(await store.listSnapshots(other.notebook.id, mine.pages[0]!.id)).toEqual([]);
      const restored = await store.restoreSnapshot(mine.owner, mine.pages[1]!.id, id, newId(), noon);
      expect(restored).toEqual({ kind: 'snapshot_missing' });
    });
  });

  describe('restoreSnapshot', () => {
    it('brings text and title back, and makes a snapshot of what it replaces', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['first']);
      const { notebook, pages, owner } = made;
      const [first, replaced] = [newId(), newId()];
      await save(store, made, { markdown: 'second', heading: 'H', givenTitle: 'Second', newSnapshotId: first }, noon + 1);
      const restored = await store.restoreSnapshot(owner, pages[0]!.id, first, replaced, noon + 2);
      const page = { ...pages[0]!, revision: 3, updatedAt: noon + 2 };
      expect(restored).toStrictEqual({ kind: 'changed', page });
      expect(await store.findPage(notebook.id, pages[0]!.id)).toStrictEqual(page);
      expect(await store.findSnapshot(notebook.id, replaced)).toMatchObject({
        title: 'Second',
        markdown: 'second',
      });
      expect((await store.findNotebookBySlug(notebook.slug))?.version).toBe(3);
    });

    it('of the oldest of ten pushes that one out', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['text 0']);
      for (let turn = 1; turn <= 10; turn++) await save(store, made, { markdown: `text ${turn}` }, noon);
      const oldest = (await store.listSnapshots(made.notebook.id, made.pages[0]!.id)).at(-1)!;
      const restored = await store.restoreSnapshot(made.owner, made.pages[0]!.id, oldest.id, newId(), noon);
      expect(restored).toMatchObject({ kind: 'changed', page: { markdown: 'text 0', revision: 12 } });
      const heads = await store.listSnapshots(made.notebook.id, made.pages[0]!.id);
      expect(heads.map(({ revision }) => revision)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    });

    it('changes nothing when the text is the page’s own', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['same']);
      const id = newId();
      await save(store, made, { markdown: 'other', newSnapshotId: id }, noon);
      await save(store, made, { markdown: 'same' }, noon);
      expect(await store.restoreSnapshot(made.owner, made.pages[0]!.id, id, newId(), noon)).toMatchObject({ kind: 'unchanged' });
      expect(await count(store, made)).toBe(2);
    });

    it('says what is missing', async () => {
      const { store } = subject();
      const { owner, pages } = await make(store);
      expect(await store.restoreSnapshot(owner, newId(), newId(), newId(), noon)).toEqual({ kind: 'page_missing' });
      expect(await store.restoreSnapshot(owner, pages[0]!.id, newId(), newId(), noon)).toEqual({ kind: 'snapshot_missing' });
    });
  });
}

function save(store: Store, { owner, pages }: Made, change: Parameters<typeof aChange>[0], now: number) {
  return store.changePage(owner, pages[0]!.id, aChange(change), now);
}

async function count(store: Store, { notebook, pages }: Made): Promise<number> {
  return (await store.listSnapshots(notebook.id, pages[0]!.id)).length;
}

async function titles(store: Store, { notebook, pages }: Made): Promise<(string | undefined)[]> {
  const heads = await store.listSnapshots(notebook.id, pages[0]!.id);
  const found = await Promise.all(heads.map(({ id }) => store.findSnapshot(notebook.id, id)));
  return found.map(snapshot => snapshot?.title);
}
