import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/limits.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  aChange,
  aNotebook,
  aPage,
  atOnce,
  countBy,
  day,
  filesIn,
  type Made,
  make,
  minute,
  newId,
  noon,
  type Subject,
} from './subject.ts';

const mebibyte = 1_048_576;
const text = (bytes: number, letter = 'x') => letter.repeat(bytes);

/** What one notebook may hold, and what visitors cannot take from its owner. */
export function budgetsContract(subject: () => Subject): void {
  const add = (store: Store, { owner }: Made, markdown: string) =>
    store.addPage(owner, { id: newId(), givenTitle: '', heading: '', markdown }, undefined, noon);
  const counted = async (id: string) => {
    const query =
      'SELECT markdown_bytes AS counted, (SELECT coalesce(sum(octet_length(markdown)), 0) FROM pages WHERE notebook_id = notebooks.id) + (SELECT coalesce(sum(octet_length(path) + octet_length(patch)), 0) FROM page_files WHERE notebook_id = notebooks.id) AS held FROM notebooks WHERE id = ?';
    const [row] = await subject().sql(query, id);
    return { counted: Number(row?.counted), held: Number(row?.held) };
  };

  describe('the bytes of a notebook', () => {
    it('are what its pages hold, whatever was done to them', async () => {
      const { store } = subject();
      const made = await make(store, { openEditing: true }, ['# Äpfel 🍏\n', 'two']);
      const [one, two] = [made.pages[0]!, made.pages[1]!];
      const snapshot = newId();
      const bytes: { counted: number; held: number }[] = [];
      const look = async () => bytes.push(await counted(made.notebook.id));
      await look();
      await store.changePage(made.owner, one.id, aChange({ markdown: text(5_000, 'ß'), newSnapshotId: snapshot }), noon);
      await look();
      await store.changePage(made.visitor, one.id, aChange({ markdown: 'short' }), noon);
      await store.changePage(made.owner, two.id, aChange({ givenTitle: 'only the title' }), noon);
      await look();
      const added = await add(store, made, text(700, '🍏'));
      await look();
      await store.restoreSnapshot(made.owner, one.id, snapshot, newId(), noon);
      await look();
      if (added.kind === 'added') await store.deletePage(made.owner, added.page.id, noon);
      await store.changeSettings(made.owner, { title: 'Other', pageOrder: [two.id, one.id] }, noon);
      await look();
      for (const { counted, held } of bytes) expect(counted).toBe(held);
      expect(bytes.map(({ held }) => held)).toEqual([17, 10_003, 8, 2_808, 2_817, 17]);
      expect((await store.findNotebookBySlug(made.notebook.slug))?.markdownBytes).toBe(17);
    });

    it('hold what brings imported files back, whatever is done to the pages', async () => {
      const { store } = subject();
      const file = (bytes: number) => ({ path: 'é.md', patch: text(bytes - 5) });
      const fresh = aNotebook();
      await store.createNotebook(fresh, [{ ...aPage(fresh.id, 0, { markdown: 'one' }), file: file(1_000) }]);
      expect(await counted(fresh.id)).toEqual({ counted: 1_003, held: 1_003 });
      const made = await make(store, {}, ['first']);
      const page = { id: newId(), givenTitle: '', heading: '', markdown: 'two', file: file(2_000) };
      await store.addPage(made.owner, page, undefined, noon);
      expect(await counted(made.notebook.id)).toEqual({ counted: 2_008, held: 2_008 });
      const change = (over: object) => store.changePage(made.owner, page.id, aChange(over), noon);
      expect(await change({ markdown: 'three', file: file(500) })).toMatchObject({ kind: 'changed' });
      expect(await counted(made.notebook.id)).toEqual({ counted: 510, held: 510 });
      expect(await change({ file: file(600) })).toMatchObject({ kind: 'unchanged' });
      expect(await change({ file: file(600) })).toMatchObject({ kind: 'unchanged' });
      expect(await counted(made.notebook.id)).toEqual({ counted: 610, held: 610 });
      await store.deletePage(made.owner, page.id, noon);
      expect(await counted(made.notebook.id)).toEqual({ counted: 5, held: 5 });
      expect(await store.deleteNotebook(made.owner, noon)).toBe(true);
    });

    it('are not passed by what brings imported files back: text and file are taken together, or neither', async () => {
      const { store, sql } = subject();
      const made = await make(store, {}, ['text']);
      const [page] = made.pages;
      const left = 1_000;
      const full = limits.maxNotebookBytes - left;
      await sql('UPDATE notebooks SET markdown_bytes = ? WHERE id = ?', full, made.notebook.id);
      const before = await store.findNotebookBySlug(made.notebook.slug);
      const refused = { kind: 'notebook_too_large', maxBytes: limits.maxNotebookBytes };
      const file = (bytes: number) => ({ path: 'a.md', patch: text(bytes - 4) });
      const change = (over: object) => store.changePage(made.owner, page!.id, aChange(over), noon);
      const newPage = (bytes: number) => ({ id: newId(), givenTitle: '', heading: '', markdown: text(500), file: file(bytes) });
      expect(await store.addPage(made.owner, newPage(501), undefined, noon)).toEqual(refused);
      expect(await change({ markdown: text(504), file: file(501) })).toEqual(refused);
      expect(await change({ file: file(1_001) })).toEqual(refused);
      expect(await store.findNotebookBySlug(made.notebook.slug)).toStrictEqual(before);
      expect(await filesIn(store, made.notebook.id)).toEqual([]);
      expect(await store.findPage(made.notebook.id, page!.id)).toStrictEqual(page);
      expect(await change({ markdown: text(504), file: file(500) })).toMatchObject({ kind: 'changed' });
      expect(await store.findNotebookBySlug(made.notebook.slug)).toMatchObject({ markdownBytes: limits.maxNotebookBytes });
      // What takes less is always taken.
      expect(await change({ markdown: text(604), file: file(400) })).toMatchObject({ kind: 'changed' });
      expect(await change({ file: file(399) })).toMatchObject({ kind: 'unchanged' });
    });

    it('never pass the bound while many import at once', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const made = await make(store, {}, ['']);
      const page = () => {
        const file = { path: 'a.md', patch: text(mebibyte / 2 - 4) };
        return { id: newId(), givenTitle: '', heading: '', markdown: text(mebibyte / 2), file };
      };
      const answers = await atOnce(12, turn => stores[turn % 2]!.addPage(made.owner, page(), undefined, noon));
      expect(countBy(answers, ({ kind }) => kind)).toEqual({ added: 10, notebook_too_large: 2 });
      expect(await counted(made.notebook.id)).toEqual({ counted: limits.maxNotebookBytes, held: limits.maxNotebookBytes });
      await stores[1]!.close();
    });

    it('have a bound that neither a page more nor a longer page passes, and nothing is changed by the try', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['']);
      for (let page = 1; page < 10; page++) expect(await add(store, made, text(mebibyte))).toMatchObject({ kind: 'added' });
      await store.changePage(made.owner, made.pages[0]!.id, aChange({ markdown: text(mebibyte - 3) }), noon);
      const before = await store.findNotebookBySlug(made.notebook.slug);
      const refused = { kind: 'notebook_too_large', maxBytes: limits.maxNotebookBytes };
      expect(await add(store, made, 'four')).toEqual(refused);
      const longer = aChange({ markdown: text(mebibyte + 1) });
      expect(await store.changePage(made.owner, made.pages[0]!.id, longer, noon)).toEqual(refused);
      expect(await store.findNotebookBySlug(made.notebook.slug)).toStrictEqual(before);
      expect(await store.findPage(made.notebook.id, made.pages[0]!.id)).toMatchObject({
        markdown: text(mebibyte - 3),
        revision: 2,
      });
      expect(await add(store, made, 'sum')).toMatchObject({ kind: 'added' });
      expect((await counted(made.notebook.id)).counted).toBe(limits.maxNotebookBytes);
    });

    it('never pass the bound while many write at once', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const made = await make(store, {}, ['']);
      const answers = await atOnce(24, turn => add(stores[turn % 2]!, made, text(mebibyte / 2)));
      expect(countBy(answers, ({ kind }) => kind)).toEqual({ added: 20, notebook_too_large: 4 });
      expect(await counted(made.notebook.id)).toEqual({ counted: limits.maxNotebookBytes, held: limits.maxNotebookBytes });
      await stores[1]!.close();
    });

    it('may shrink where they are too many already', async () => {
      const { store, sql } = subject();
      const made = await make(store, {}, [text(2_000)]);
      await sql(
        'UPDATE notebooks SET markdown_bytes = markdown_bytes + ? WHERE id = ?',
        limits.maxNotebookBytes,
        made.notebook.id,
      );
      const change = (bytes: number) => store.changePage(made.owner, made.pages[0]!.id, aChange({ markdown: text(bytes) }), noon);
      expect(await change(2_001)).toMatchObject({ kind: 'notebook_too_large' });
      expect(await change(1_999)).toMatchObject({ kind: 'changed' });
    });
  });

  describe('snapshots under open editing', () => {
    const save = (store: Store, made: Made, markdown: string, now: number, autosave = false) =>
      store.changePage(made.visitor, made.pages[0]!.id, aChange({ markdown, autosave }), now);
    const texts = async (store: Store, { notebook, pages }: Made) => {
      const heads = await store.listSnapshots(notebook.id, pages[0]!.id);
      const found = await Promise.all(heads.map(({ id }) => store.findSnapshot(notebook.id, id)));
      return found.map(snapshot => snapshot?.markdown);
    };

    it('keep the owner’s last text, however often visitors save', async () => {
      const { store } = subject();
      const made = await make(store, { openEditing: true }, ['first of the owner']);
      await store.changePage(made.owner, made.pages[0]!.id, aChange({ markdown: 'last of the owner' }), noon);
      for (let turn = 1; turn <= 25; turn++) await save(store, made, `visitor ${turn}`, noon + turn);
      const kept = await texts(store, made);
      expect(kept).toHaveLength(10);
      expect(kept).toContain('last of the owner');
      expect(kept.slice(0, 8)).toEqual([24, 23, 22, 21, 20, 19, 18, 17].map(turn => `visitor ${turn}`));
    });

    it('keep the owner’s text also when a visitor’s auto-save replaces it soon after another snapshot', async () => {
      const { store } = subject();
      const made = await make(store, { openEditing: true }, ['before']);
      await store.changePage(made.owner, made.pages[0]!.id, aChange({ markdown: 'by the owner' }), noon);
      await save(store, made, 'a visitor types', noon + minute, true);
      await save(store, made, 'a visitor types on', noon + 2 * minute, true);
      expect(await texts(store, made)).toEqual(['by the owner', 'before']);
    });

    it('keep one that is older than a day, from the first day of defacing on', async () => {
      const { store } = subject();
      const made = await make(store, { openEditing: true }, ['of the owner']);
      for (let turn = 0; turn < 30; turn++) await save(store, made, `day one ${turn}`, noon + turn);
      for (let turn = 0; turn < 30; turn++) await save(store, made, `day three ${turn}`, noon + 2 * day + turn);
      const ages = (await store.listSnapshots(made.notebook.id, made.pages[0]!.id)).map(({ createdAt }) => createdAt);
      expect(ages).toHaveLength(10);
      expect(ages.filter(at => at <= noon + day).length).toBeGreaterThanOrEqual(1);
      expect(await texts(store, made)).toContain('of the owner');
      expect(await texts(store, made)).toContain('day one 28');
    });

    it('are the newest ten again when the owner saves', async () => {
      const { store } = subject();
      const made = await make(store, { openEditing: true }, ['text 0']);
      for (let turn = 1; turn <= 12; turn++) await save(store, made, `visitor ${turn}`, noon);
      for (let turn = 1; turn <= 11; turn++)
        await store.changePage(made.owner, made.pages[0]!.id, aChange({ markdown: `owner ${turn}` }), noon);
      expect(await texts(store, made)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map(turn => `owner ${turn}`));
    });
  });

  describe('the bytes of snapshots', () => {
    const maxBytes = limits.maxNotebookBytes * limits.snapshotBytesPerNotebookByte;

    it('have a bound: the oldest go first, the owner’s last text last', async () => {
      const { store, sql } = subject();
      const made = await make(store, { openEditing: true }, ['of the owner', ...Array.from({ length: 7 }, () => '')]);
      await store.changePage(made.visitor, made.pages[0]!.id, aChange({ markdown: 'defaced' }), noon);
      for (let turn = 0; turn < 84; turn++) {
        const change = aChange({ markdown: text(mebibyte, String(Math.floor(turn / 7) % 10)) });
        await store.changePage(made.visitor, made.pages[1 + (turn % 7)]!.id, change, noon + turn);
      }
      const query =
        'SELECT snapshots.bytes, snapshots.page_id AS page, created_at AS at FROM snapshots JOIN pages ON pages.id = page_id WHERE notebook_id = ?';
      const rows = await sql(query, made.notebook.id);
      const held = rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
      expect(held).toBeLessThanOrEqual(maxBytes);
      expect(held).toBeGreaterThan(maxBytes - 2 * mebibyte);
      const [oldest = 0] = rows
        .filter(({ bytes }) => Number(bytes) === mebibyte)
        .map(({ at }) => Number(at))
        .sort((a, b) => a - b);
      expect(oldest).toBeGreaterThanOrEqual(noon + 84 - 51);
      expect(rows.some(({ page }) => page === made.pages[0]!.id)).toBe(true);
    });
  });
}
