import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TextTracker } from '../../src/model/text-tracker.ts';
import { DatabaseUnavailable } from '../../src/store/database-unavailable.ts';
import { findMigrationsFolder, readMigrations } from '../../src/store/migrate.ts';
import { createSqlStore } from '../../src/store/sql-store.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { aChange, type Made, make, newId, noon } from './contract/subject.ts';

let store: Store;
/** Transactions since it was set to 0. */
let written: number;
/** The one of them that the disk has no room for. */
let refused: number;
/** Runs after each of them. */
let look: () => Promise<unknown>;
beforeEach(async () => {
  refused = 0;
  look = async () => {};
  const engine = openSqlite(':memory:');
  const write: typeof engine.write = async work => {
    written += 1;
    if (written === refused) throw new DatabaseUnavailable(new Error('database or disk is full'));
    const result = await engine.write(work);
    await look();
    return result;
  };
  const folder = join(findMigrationsFolder(), 'sqlite');
  store = createSqlStore({ ...engine, write }, () => readMigrations(folder), { maxNotebookBytes: 10_000_000 }, new TextTracker());
  await store.migrate();
});
afterEach(() => store.close());

const key = { revision: 1, variant: 'view', engine: '1' };
/** Two of these are more than a portion. */
const long = 'x'.repeat(600_000);

it('a short notebook is deleted by one transaction, with its snapshots and its HTML', async () => {
  const { owner, pages } = await make(store);
  await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'changed' }), noon);
  await store.keepRendering(pages[0]!.id, { ...key, revision: 2 }, { json: '{}', packed: null });
  written = 0;
  expect(await store.deleteNotebook(owner, noon)).toBe(true);
  expect(written).toBe(1);
});

/** Three pages, each with long HTML and a long snapshot. */
async function makeLong() {
  const made = await make(
    store,
    {},
    ['1', '2', '3'].map(one => `${long}${one}`),
  );
  for (const { id } of made.pages) {
    await store.changePage(made.owner, id, aChange({ markdown: '# Short' }), noon);
    await store.keepRendering(id, { ...key, revision: 2 }, { json: '{}', packed: Buffer.from(long) });
  }
  return made;
}

/** How many pages still have their HTML, and how many their snapshot. */
async function left({ notebook, pages }: Made) {
  const html = await Promise.all(pages.map(({ id }) => store.findRendering(id, { ...key, revision: 2 })));
  const snapshots = await Promise.all(pages.map(({ id }) => store.listSnapshots(notebook.id, id)));
  return { html: html.filter(Boolean).length, snapshots: snapshots.flat().length };
}

it('the HTML of a long notebook goes in portions before it, then its snapshots, the last of each with the notebook', async () => {
  const made = await makeLong();
  const seen: object[] = [];
  look = async () => seen.push(await left(made));
  expect(await store.deleteNotebook(made.owner, noon)).toBe(true);
  expect(seen).toEqual([
    { html: 2, snapshots: 3 },
    { html: 1, snapshots: 3 },
    { html: 1, snapshots: 2 },
    { html: 1, snapshots: 1 },
    { html: 0, snapshots: 0 },
  ]);
});

it('another notebook keeps all of its own', async () => {
  const [made, other] = [await makeLong(), await makeLong()];
  expect(await store.deleteNotebook(made.owner, noon)).toBe(true);
  expect(await left(other)).toEqual({ html: 3, snapshots: 3 });
});

it('all kinds of HTML of a page go with one portion', async () => {
  const { owner, pages } = await make(store, {}, ['# One', '# Two', '# Three']);
  const half = { json: '{}', packed: Buffer.from(long.slice(0, 300_000)) };
  for (const { id } of pages) await store.keepRendering(id, key, half);
  // With it they are more than a portion.
  await store.keepRendering(pages[0]!.id, { ...key, variant: 'print' }, half);
  written = 0;
  expect(await store.deleteNotebook(owner, noon)).toBe(true);
  expect(written).toBe(2);
});

it.each([
  ['its HTML', 1, false],
  ['a first portion of its snapshots', 2, false],
  ['a second one', 3, true],
  ['the notebook itself', 4, true],
])('where there is no room to delete %s, it is said whether something was deleted', async (_, at, uncertain) => {
  const { owner, notebook, pages } = await make(store, {}, ['# One', '# Two']);
  const texts = [`${long}1`, `${long}2`, `${long}3`, 'short'];
  for (const [turn, markdown] of texts.entries())
    await store.changePage(owner, pages[0]!.id, aChange({ markdown, newSnapshotId: newId() }), noon + turn * 3_600_000);
  const revisions = [texts.length + 1, 1];
  for (const [place, { id }] of pages.entries()) {
    const packed = Buffer.from(long);
    await store.keepRendering(id, { ...key, revision: revisions[place]! }, { json: '{}', packed });
  }
  const snapshots = await store.listSnapshots(notebook.id, pages[0]!.id);
  [written, refused] = [0, at];
  await expect(store.deleteNotebook(owner, noon)).rejects.toMatchObject({ code: 'unavailable', uncertain });
  const left = await store.listSnapshots(notebook.id, pages[0]!.id);
  expect(left.length < snapshots.length).toBe(uncertain);
  expect(await store.listPageHeads(notebook.id)).toHaveLength(2);
  // Once there is room, the rest goes.
  expect(await store.deleteNotebook(owner, noon)).toBe(true);
  expect(await store.findNotebookBySlug(notebook.slug)).toBeUndefined();
});

it('a person with a link that was reset deletes nothing, no HTML and no snapshot either', async () => {
  const { notebook, owner, pages } = await make(store, {}, ['# One', '# Two', '# Three']);
  for (const { id } of pages) await store.keepRendering(id, key, { json: '{}', packed: Buffer.from(long) });
  const texts = [`${long}1`, `${long}2`, 'short'];
  for (const [at, markdown] of texts.entries())
    await store.changePage(owner, pages[0]!.id, aChange({ markdown, newSnapshotId: newId() }), noon + at * 3_600_000);
  const snapshots = await store.listSnapshots(notebook.id, pages[0]!.id);
  await store.rotateEditToken(owner, newId() + newId(), noon);
  expect(await store.deleteNotebook(owner, noon)).toBe(false);
  for (const { id } of pages.slice(1)) expect(await store.findRendering(id, key)).toBeDefined();
  expect(await store.listSnapshots(notebook.id, pages[0]!.id)).toEqual(snapshots);
  expect(snapshots.length).toBeGreaterThan(1);
});
