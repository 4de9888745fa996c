import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TextTracker } from '../../src/model/text-tracker.ts';
import type { Engine } from '../../src/store/engine.ts';
import { findMigrationsFolder, readMigrations } from '../../src/store/migrate.ts';
import { createSqlStore } from '../../src/store/sql-store.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { compileStatements } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';
import type { SizeStatements } from '../../src/store/upkeep/size-statements.ts';
import { aChange, type Made, make, newId, noon } from './contract/subject.ts';

// How much a deletion would delete: SQLite's threads, and portions, are chosen by it.

let engine: Engine;
let store: Store;
let sizes: SizeStatements;
beforeEach(async () => {
  const budget = { maxNotebookBytes: 10_000_000 };
  engine = openSqlite(':memory:');
  store = createSqlStore(engine, () => readMigrations(join(findMigrationsFolder(), 'sqlite')), budget, new TextTracker());
  sizes = compileStatements(engine, budget).sizes;
  await store.migrate();
});
afterEach(() => store.close());

/** Two pages, the first with everything that is kept beside a text. */
async function fill(): Promise<Made> {
  const made = await make(store, {}, ['# Zwölf\n', 'zwei']);
  const { notebook, owner } = made;
  const { id } = made.pages[0]!;
  const comment = { notebookId: notebook.id, author: 'Ä', createdAt: noon };
  await store.addComment({ ...comment, id: newId(), pageId: null, body: 'für alle' });
  await store.addComment({ ...comment, id: newId(), pageId: id, body: '12345' });
  for (const markdown of ['ü'.repeat(50), 'ö'.repeat(10)]) await store.changePage(owner, id, aChange({ markdown }), noon);
  await store.keepRendering(id, { variant: 'view', revision: 3, engine: '1' }, { json: '{"html":"é"}', packed: null });
  await store.keepRendering(id, { variant: 'print', revision: 3, engine: '1' }, { json: '{}', packed: Buffer.alloc(700) });
  const { version } = (await store.findNotebookBySlug(notebook.slug))!;
  await store.keepFinishedPage(id, version, 'one', { etag: 'e', frames: false, br: Buffer.alloc(3_000) });
  return made;
}

const text = 20;
const snapshots = [9, 100];
const html = 13 + 2 + 700;
const finished = 3_000;
const first = text + 109 + html + finished;
const second = 4;
const comments = 9 + 5;

const ofPage = (page: string) => engine.read(sizes.ofPage, { page });
const ofNotebook = (notebook: string) => engine.read(sizes.ofNotebook, { notebook });

it('a page is its text, its snapshots, its kept HTML and the page as it is sent, in bytes, and nothing of another', async () => {
  const [one, other] = [await fill(), await fill()];
  for (const { pages } of [one, other]) {
    expect(await ofPage(pages[0]!.id)).toEqual([{ bytes: first }]);
    expect(await ofPage(pages[1]!.id)).toEqual([{ bytes: second }]);
  }
  expect(await ofPage(newId())).toEqual([{ bytes: 0 }]);
});

it('a notebook is all of its pages and its comments', async () => {
  const [one, other] = [await fill(), await make(store)];
  expect(await ofNotebook(one.notebook.id)).toEqual([{ bytes: first + second + comments }]);
  expect(await ofNotebook(other.notebook.id)).toEqual([{ bytes: '# One\n'.length }]);
});

it('its snapshots are listed one by one, its HTML by page', async () => {
  const [one] = [await fill(), await fill()];
  const notebook = one.notebook.id;
  const listed = await engine.read(sizes.snapshots, { notebook });
  expect(listed.map(({ bytes }) => bytes).sort((a, b) => a - b)).toEqual(snapshots);
  const heads = await store.listSnapshots(notebook, one.pages[0]!.id);
  expect(listed.map(({ id }) => id).sort()).toEqual(heads.map(({ id }) => id).sort());
  await store.keepRendering(one.pages[1]!.id, { variant: 'view', revision: 1, engine: '1' }, { json: '{}', packed: null });
  const byPage = new Map((await engine.read(sizes.renderings, { notebook })).map(({ id, bytes }) => [id, bytes]));
  expect(byPage).toEqual(
    new Map([
      [one.pages[0]!.id, html],
      [one.pages[1]!.id, 2],
    ]),
  );
});
