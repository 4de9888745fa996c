import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import {
  isDamaged,
  openSearchFile,
  rebuildSearchFile,
  rebuildUnlessFitting,
  removeSearchFiles,
} from '../../src/store/search/search-file.ts';
import { SearchReader } from '../../src/store/search/sqlite-search-reader.ts';
import { type FollowRequest, fixed, LostIndex, readIndexId, SearchWriter } from '../../src/store/search/sqlite-search-writer.ts';
import { executeOn } from '../../src/store/sqlite/sqlite-execute.ts';
import { aNotebook, aPage, indexAll, noon } from './contract/subject.ts';
import { searchFileOf } from './open-subject.ts';

// What the threads of the text index are made of, without threads.

let folder: string;
let path: string;
const open: { close(): void }[] = [];
const closing = <Some extends { close(): void }>(some: Some): Some => {
  open.push(some);
  return some;
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-search-'));
  path = join(folder, 'octavo.db');
  const store = createStore(`sqlite:${path}`);
  await store.migrate();
  await indexAll(store);
  await store.close();
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const each of open.splice(0).reverse()) each.close();
  rmSync(folder, { recursive: true });
});

const database = () => closing(new DatabaseSync(path));
const index = () => closing(new DatabaseSync(searchFileOf(path)));
/** An order for a page that is queued and public, and says this. */
const order = (text: string, over: Partial<FollowRequest> = {}, updatedAt = noon): FollowRequest => ({
  pageId: 'page',
  number: 1,
  find: fixed('SELECT 1'),
  page: fixed('SELECT \'\' AS title, \'\' AS "givenTitle", ? AS text, ? AS "updatedAt"', text, updatedAt),
  ...over,
});
const rows = () => index().prepare('SELECT number, page_id AS id, text FROM search_pages ORDER BY number').all();
const textsIn = () => rows().map(({ id, text }) => [id, String(text).trim()]);
const followed = () => index().prepare('SELECT number FROM followed').get()?.number;
const missing = fixed('SELECT missing');
function failureOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the writer of the index', () => {
  it('takes a page in, over what it said before, and out, and knows how far it followed', () => {
    const writer = closing(new SearchWriter(path));
    expect(writer.follow(order('first', { number: 4 }))).toBe('in');
    expect(writer.follow(order('second', { number: 6 }))).toBe('in');
    expect(writer.follow(order('other', { pageId: 'another', number: 5 }))).toBe('in');
    expect(textsIn().sort()).toEqual([
      ['another', 'other'],
      ['page', 'second'],
    ]);
    expect(followed()).toBe(6);
    expect(writer.follow(order('', { page: undefined, number: 8 }))).toBe('out');
    expect(writer.follow(order('', { page: fixed('SELECT 1 WHERE false'), pageId: 'another', number: 9 }))).toBe('out');
    expect([textsIn(), followed()]).toEqual([[], 9]);
  });

  it('does nothing for a page that was queued again meanwhile', () => {
    const writer = closing(new SearchWriter(path));
    writer.follow(order('first'));
    const late = { find: fixed('SELECT 1 WHERE false'), number: 7 };
    expect(writer.follow(order('late', late))).toBe('late');
    expect([textsIn(), followed()]).toEqual([[['page', 'first']], 1]);
    // Nothing is left under way.
    expect(writer.follow(order('next'))).toBe('in');
  });

  it('gives numbers that grow with the time of the change, also within a millisecond, and keeps one that nothing changed', () => {
    const writer = closing(new SearchWriter(path));
    for (const [at, time] of [2, 1, 2, 2].entries()) writer.follow(order('same', { pageId: `page ${at}` }, noon + time));
    const least = (noon + 2) * 4_096;
    expect(rows().map(({ number, id }) => [number, id])).toEqual([
      [(noon + 1) * 4_096, 'page 1'],
      [least, 'page 0'],
      [least + 1, 'page 2'],
      [least + 2, 'page 3'],
    ]);
    writer.follow(order('same', { pageId: 'page 0' }, noon + 2));
    expect(rows()[1]).toMatchObject({ number: least, id: 'page 0' });
    writer.follow(order('another', { pageId: 'page 0' }, noon + 2));
    expect(rows().at(-1)).toMatchObject({ number: least + 3, id: 'page 0' });
    writer.follow(order('same', { pageId: 'page 2' }, noon + 3));
    expect(rows().at(-1)).toMatchObject({ number: (noon + 3) * 4_096, id: 'page 2' });
  });

  it('takes a fault of the database for no fault of the index, and leaves nothing under way', () => {
    const writer = closing(new SearchWriter(path));
    for (const broken of [{ find: missing }, { page: missing }]) {
      const failure = failureOf(() => writer.follow(order('', broken)));
      expect(failure).toMatchObject({ message: 'no such column: missing' });
      expect(failure).not.toBeInstanceOf(LostIndex);
    }
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string) {
      if (sql === 'SELECT damaged') throw Object.assign(new Error('malformed'), { errcode: 11 });
      return prepare.call(this, sql);
    });
    expect(() => writer.follow(order('', { find: fixed('SELECT damaged') }))).toThrow(/^malformed$/);
    expect(writer.follow(order('next'))).toBe('in');
  });

  it('says which index is lost', () => {
    const writer = closing(new SearchWriter(path));
    const id = readIndexId(executeOn(database()));
    removeSearchFiles(path);
    const lost = failureOf(() => writer.follow(order('')));
    expect(lost).toBeInstanceOf(LostIndex);
    expect(lost).toMatchObject({ lostIndex: id, message: `The text index ${id} cannot be used: there is no such file` });
  });

  it('empties its log once nobody reads what is in it', () => {
    const writer = closing(new SearchWriter(path));
    const walBytes = () => statSync(`${searchFileOf(path)}-wal`).size;
    let asked = 0;
    const { prepare } = DatabaseSync.prototype;
    const answer = (all: () => unknown[]) =>
      vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string) {
        if (!sql.includes('wal_checkpoint')) return prepare.call(this, sql);
        asked += 1;
        return { all } as never;
      });
    answer(() => [{ busy: 0 }]);
    expect([writer.tidy(), asked]).toEqual([true, 0]);
    writer.follow(order('first'));
    answer(() => [{ busy: 1 }]);
    expect([writer.tidy(), writer.tidy(), asked]).toEqual([false, false, 2]);
    vi.restoreAllMocks();
    expect(walBytes()).toBeGreaterThan(0);
    expect([writer.tidy(), walBytes()]).toEqual([true, 0]);
    answer(() => [{ busy: 1 }]);
    expect([writer.tidy(), asked]).toEqual([true, 2]);
    // A full disk: the next page that is followed says so.
    writer.follow(order('second'));
    answer(() => {
      throw new Error('disk full');
    });
    expect([writer.tidy(), writer.tidy(), asked]).toEqual([true, true, 3]);
  });

  it('follows an index that was made anew', () => {
    const writer = closing(new SearchWriter(path));
    writer.follow(order('first'));
    const before = readIndexId(executeOn(database()));
    rebuildSearchFile(database(), path, before);
    expect(readIndexId(executeOn(database()))).not.toBe(before);
    writer.follow(order('second'));
    expect(textsIn()).toEqual([['page', 'second']]);
  });
});

describe('the reader of the index', () => {
  it('asks the database and its index together, the one that it has now, and writes to neither', () => {
    const writer = closing(new SearchWriter(path));
    const reader = closing(new SearchReader(path));
    writer.follow(order('first'));
    const all = fixed('SELECT search_pages.page_id AS id FROM search_pages CROSS JOIN search_index');
    expect(reader.read(all)).toEqual([{ id: 'page' }]);
    expect(() => reader.read(fixed('DELETE FROM search_pages'))).toThrow('readonly');
    expect(() => reader.read(fixed('DELETE FROM search_index'))).toThrow('readonly');
    rebuildSearchFile(database(), path, readIndexId(executeOn(database())));
    expect(reader.read(all)).toEqual([]);
  });

  it('tells a lost index from a statement that is wrong', () => {
    const reader = closing(new SearchReader(path));
    expect(() => reader.read(missing)).toThrow(/^no such column: missing/);
    const file = searchFileOf(path);
    removeSearchFiles(path);
    const another = closing(new SearchReader(path));
    expect(() => another.read(missing)).toThrow(LostIndex);
    expect(existsSync(file)).toBe(false);
  });

  it('opens both once for as long as they are the same, and leaves no connection behind', () => {
    const reader = new SearchReader(path);
    const one = fixed('SELECT 1 AS one');
    reader.read(one);
    const closed = vi.spyOn(DatabaseSync.prototype, 'close');
    expect([reader.read(one), closed.mock.calls.length]).toEqual([[{ one: 1 }], 0]);
    const tables = database();
    rebuildSearchFile(tables, path, readIndexId(executeOn(tables)));
    closed.mockClear();
    reader.read(one);
    // The connection to the former one, and the look whether there is a new one.
    expect(closed).toHaveBeenCalledTimes(2);
    reader.close();
    removeSearchFiles(path);
    closed.mockClear();
    expect(() => reader.read(one)).toThrow(LostIndex);
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('takes what is malformed for the fault of the index only where the index is not sound', () => {
    const reader = closing(new SearchReader(path));
    const ask = fixed('SELECT damaged');
    let check: (() => unknown[]) | undefined;
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string) {
      if (sql === 'SELECT damaged') throw Object.assign(new Error('malformed'), { errcode: 11 });
      return check && sql.includes('quick_check') ? ({ all: check } as never) : prepare.call(this, sql);
    });
    expect(failureOf(() => reader.read(ask))).toMatchObject({ message: 'malformed', errcode: 11 });
    expect(failureOf(() => reader.read(ask))).not.toBeInstanceOf(LostIndex);
    const id = readIndexId(executeOn(database()));
    const closed = vi.spyOn(DatabaseSync.prototype, 'close');
    const unsound = [
      () => [{ quick_check: 'row 1 missing from index' }],
      () => [],
      () => {
        throw new Error('disk I/O error');
      },
    ];
    for (const answer of unsound) {
      check = answer;
      const failure = failureOf(() => reader.read(ask));
      expect(failure).toBeInstanceOf(LostIndex);
      expect(failure).toMatchObject({ lostIndex: id, cause: { message: 'malformed' } });
    }
    expect(closed).toHaveBeenCalledTimes(unsound.length);
  });
});

describe('the file of the index', () => {
  it('without its own tables is damaged, and one that cannot be opened is what SQLite says', () => {
    const file = searchFileOf(path);
    index().exec('DELETE FROM followed');
    const opening = () => failureOf(() => openSearchFile(file).close());
    expect([isDamaged(opening()), (opening() as Error).message]).toEqual([true, 'it says nowhere what it followed']);
    index().exec('DROP TABLE followed');
    expect(isDamaged(opening())).toBe(true);
    for (const [errcode, damaged] of [
      [11, true],
      [26, true],
      [11 | (2 << 8), true],
      [5, false],
      [14, false],
    ] as const) {
      expect(isDamaged(Object.assign(new Error(), { errcode }))).toBe(damaged);
    }
    expect(isDamaged(new Error())).toBe(false);
  });

  it('is not made anew, and left open by nobody, where the disk does not let it be read', () => {
    const tables = database();
    const id = readIndexId(executeOn(tables));
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string) {
      if (sql === 'SELECT number FROM followed') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
      return prepare.call(this, sql);
    });
    const closed = vi.spyOn(DatabaseSync.prototype, 'close');
    expect(() => rebuildUnlessFitting(tables, path)).toThrow('disk I/O error');
    expect(closed).toHaveBeenCalledTimes(1);
    expect([readIndexId(executeOn(tables)), existsSync(searchFileOf(path))]).toEqual([id, true]);
  });

  it('is made anew as a whole or not at all', () => {
    const [tables, before] = [database(), searchFileOf(path)];
    tables.exec("CREATE TRIGGER refuse BEFORE UPDATE ON search_index BEGIN SELECT RAISE(ABORT, 'refused'); END");
    const id = readIndexId(executeOn(tables));
    expect(() => rebuildSearchFile(tables, path, id)).toThrow('refused');
    expect([tables.isTransaction, existsSync(before), readIndexId(executeOn(tables))]).toEqual([false, true, id]);
    // The id of another index: it was made anew already.
    rebuildSearchFile(tables, path, 'another');
    expect(readIndexId(executeOn(tables))).toBe(id);
  });

  it('is made anew when it followed less than the database knows, or more than there ever was', () => {
    const tables = database();
    const idOf = () => readIndexId(executeOn(tables));
    const id = idOf();
    rebuildUnlessFitting(tables, path);
    expect(idOf()).toBe(id);
    tables.exec("INSERT INTO search_queue (page_id, notebook_id) VALUES ('a', 'b'); UPDATE search_index SET followed = 1");
    rebuildUnlessFitting(tables, path);
    const second = idOf();
    expect(second).not.toBe(id);
    index().exec('UPDATE followed SET number = 1');
    rebuildUnlessFitting(tables, path);
    expect(idOf()).toBe(second);
    index().exec('UPDATE followed SET number = 2');
    rebuildUnlessFitting(tables, path);
    expect(idOf()).not.toBe(second);
  });

  it('is removed with its log, and nothing that only looks like it', () => {
    const others = [`${path}-search-short`, `${path}-search-0123456789abc`, `${path}-search-0123456789ab-journal`];
    for (const other of others) writeFileSync(other, '');
    writeFileSync(`${path}-search-0123456789ab-wal`, '');
    removeSearchFiles(path);
    expect(readdirSync(folder).sort()).toEqual(['octavo.db', ...others.map(name => name.slice(folder.length + 1))].sort());
  });

  it('has every public page queued when it is made anew, those that changed last at the end', async () => {
    const store = createStore(`sqlite:${path}`);
    const wanted: [number, string][] = [];
    for (const [at, over] of [{}, { visibility: 'unlisted' }, {}, { takenDownAt: noon }, {}].entries()) {
      const notebook = aNotebook({ visibility: 'public', ...(over as object) });
      const page = aPage(notebook.id, 0, { updatedAt: noon + ((at * 2) % 5) });
      await store.createNotebook(notebook, [page]);
      if (Object.keys(over).length === 0) wanted.push([page.updatedAt, page.id]);
    }
    await store.close();
    const tables = database();
    tables.exec('DELETE FROM search_queue');
    rebuildSearchFile(tables, path, readIndexId(executeOn(tables)));
    const queued = tables.prepare('SELECT page_id AS id FROM search_queue ORDER BY number').all();
    expect(queued.map(({ id }) => id)).toEqual(wanted.sort(([one], [other]) => one - other).map(([, id]) => id));
  });
});
