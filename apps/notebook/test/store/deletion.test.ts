import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TextsAtWork } from '../../src/model/texts-at-work.ts';
import { findMigrationsFolder, readMigrations } from '../../src/store/migrate.ts';
import { createSqlStore } from '../../src/store/sql-store.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { aChange, make, newId, noon } from './contract/subject.ts';

let store: Store;
/** Transactions since it was set to 0. */
let written: number;
beforeEach(async () => {
  const engine = openSqlite(':memory:');
  const write: typeof engine.write = work => {
    written += 1;
    return engine.write(work);
  };
  const folder = join(findMigrationsFolder(), 'sqlite');
  store = createSqlStore({ ...engine, write }, () => readMigrations(folder), { maxNotebookBytes: 10_000_000 }, new TextsAtWork());
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

it('the HTML of a long notebook goes in portions before it', async () => {
  const { owner, pages } = await make(store, {}, ['# One', '# Two', '# Three']);
  for (const { id } of pages) await store.keepRendering(id, key, { json: '{}', packed: Buffer.from(long) });
  written = 0;
  expect(await store.deleteNotebook(owner, noon)).toBe(true);
  expect(written).toBe(3);
});

it('its snapshots go in portions before it', async () => {
  const { owner, pages } = await make(store);
  const texts = [`${long}1`, `${long}2`, `${long}3`, 'short'];
  for (const [at, markdown] of texts.entries())
    await store.changePage(owner, pages[0]!.id, aChange({ markdown, newSnapshotId: newId() }), noon + at * 3_600_000);
  written = 0;
  expect(await store.deleteNotebook(owner, noon)).toBe(true);
  expect(written).toBe(3);
});

it('somebody with a link that was reset deletes nothing, no HTML and no snapshot either', async () => {
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
