import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import { backupSqlite, restoreSqlite } from '../../src/store/sqlite/sqlite-backup.ts';
import type { Store } from '../../src/store/store.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { aChange, aNotebook, aPage, indexAll, make, noon } from './contract/subject.ts';
import { killIndexers } from './killed-indexers.ts';
import { searchFileOf } from './open-subject.ts';

describe('the file of the text index on SQLite', () => {
  let database: Database;
  let path: string;
  const open: Store[] = [];
  beforeEach(async () => {
    database = await sqlite.createDatabase();
    path = database.url.slice('sqlite:'.length);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const store of open.splice(0)) await store.close();
    database.remove();
  });

  const start = async () => {
    const store = createStore(database.url);
    open.push(store);
    await store.migrate();
    return store;
  };
  const stop = async (store: Store) => {
    open.splice(open.indexOf(store), 1);
    await store.close();
  };
  const idsOf = async (store: Store, query: string) =>
    (await store.searchPublic({ query, limit: 300, offset: 0, now: noon })).map(({ page }) => page.id);
  const search = async (store: Store, query: string) => {
    await indexAll(store);
    return idsOf(store, query);
  };
  const filesBeside = () => readdirSync(dirname(path)).filter(name => name.startsWith(`${basename(path)}-search-`));
  /** Three letters in a row are what the index holds of a word. */
  const bytesHold = (word: string) =>
    filesBeside().some(name =>
      readFileSync(join(dirname(path), name))
        .toString('latin1')
        .includes(word.slice(0, 3)),
    );

  it('belongs to this account alone, as what SQLite keeps beside it does, however open the process makes files', async () => {
    const before = process.umask(0o000);
    try {
      const store = await start();
      await make(store, { visibility: 'public' }, ['larkspur']);
      await search(store, 'larkspur');
      const name = basename(searchFileOf(path));
      expect(filesBeside().sort()).toEqual([name, `${name}-shm`, `${name}-wal`]);
      const modes = filesBeside().map(each => (statSync(join(dirname(path), each)).mode & 0o777).toString(8));
      expect(modes).toEqual(['600', '600', '600']);
    } finally {
      process.umask(before);
    }
  });

  it('holds what the database holds nothing of: no text of the index is in a backup', async () => {
    const store = await start();
    await make(store, { visibility: 'public' }, ['jqxzvk']);
    await indexAll(store);
    expect(bytesHold('jqxzvk')).toBe(true);
    const tables = new DatabaseSync(path, { timeout: 10_000 });
    expect(tables.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%fts5%'").all()).toEqual([]);
    tables.close();
  });

  it('has forgotten a text soon after it left, while the service goes on', async () => {
    const store = await start();
    const { owner } = await make(store, { visibility: 'public' }, ['jqxzvk']);
    await indexAll(store);
    expect(bytesHold('jqxzvk')).toBe(true);
    await store.changeSettings(owner, { visibility: 'private' }, noon);
    await indexAll(store);
    const tables = new DatabaseSync(path, { timeout: 10_000 });
    expect(tables.prepare('SELECT page_id FROM search_indexed').all()).toEqual([]);
    tables.close();
    await expect.poll(() => bytesHold('jqxzvk'), { timeout: 20_000 }).toBe(false);
  });

  it('is made anew when it is lost, before the start or under a running service', async () => {
    const first = await start();
    const { pages } = await make(first, { visibility: 'public' }, ['magnolia']);
    expect(await search(first, 'magnolia')).toEqual([pages[0]!.id]);
    await stop(first);
    rmSync(searchFileOf(path));
    const second = await start();
    expect(await search(second, 'magnolia')).toEqual([pages[0]!.id]);

    const third = await start();
    // It has looked at the index, and its threads have not opened it yet.
    await indexAll(third);
    await stop(second);
    for (const name of filesBeside()) rmSync(join(dirname(path), name));
    expect(await idsOf(third, 'magnolia')).toEqual([]);
    expect(await search(third, 'magnolia')).toEqual([pages[0]!.id]);
  });

  it.each([
    ['is no database', Buffer.from('not a database, '.repeat(1_000))],
    ['is empty', Buffer.alloc(0)],
    ['is a database without an index', undefined],
  ])('is made anew when it %s', async (_, bytes) => {
    const first = await start();
    const { pages } = await make(first, { visibility: 'public' }, ['narcissus']);
    await indexAll(first);
    await stop(first);
    const file = searchFileOf(path);
    if (bytes) writeFileSync(file, bytes);
    else {
      rmSync(file);
      const other = new DatabaseSync(file, { timeout: 10_000 });
      other.exec('CREATE TABLE something (else_ INTEGER)');
      other.close();
    }
    expect(await search(await start(), 'narcissus')).toEqual([pages[0]!.id]);
    expect(searchFileOf(path)).not.toBe(file);
  });

  it('is made anew when a page of it is damaged while the service runs', async () => {
    const first = await start();
    const texts = Array.from({ length: 40 }, (_, at) => `periwinkle ${'words of it '.repeat(200)} ${at}`);
    const { pages, owner } = await make(first, { visibility: 'public' }, texts);
    await indexAll(first);
    await stop(first);
    const second = await start();
    await indexAll(second);
    const file = searchFileOf(path);
    const bytes = readFileSync(file);
    // All but the first pages, where the tables are named: opening it finds nothing wrong.
    bytes.fill(0xa5, 65_536);
    writeFileSync(file, bytes);
    await store503(() => idsOf(second, 'periwinkle'));
    await second.changePage(owner, pages[0]!.id, aChange({ markdown: 'periwinkle anew' }), noon);
    await store503(() => indexAll(second));
    expect((await search(second, 'periwinkle')).length).toBe(40);
    expect(searchFileOf(path)).not.toBe(file);
  });

  it('is made anew once in ten minutes: lost more often, it would not be the file that is at fault', async () => {
    const store = await start();
    const { pages } = await make(store, { visibility: 'public' }, ['gentian']);
    await indexAll(store);
    const lose = (id: string) => {
      const tables = new DatabaseSync(path, { timeout: 10_000 });
      tables.prepare('UPDATE search_index SET id = ?').run(id);
      tables.close();
    };
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
    lose('lost');
    expect(await idsOf(store, 'gentian')).toEqual([]);
    expect(await search(store, 'gentian')).toEqual([pages[0]!.id]);
    lose('lost again');
    now.mockReturnValue(1_599_999);
    await expect(idsOf(store, 'gentian')).rejects.toMatchObject({ code: 'unavailable', cause: { lostIndex: 'lost again' } });
    now.mockReturnValue(1_600_000);
    expect(await idsOf(store, 'gentian')).toEqual([]);
    expect(await search(store, 'gentian')).toEqual([pages[0]!.id]);
  });

  it('that is lost while another process writes is made anew as soon as that one is done', async () => {
    const store = await start();
    const { pages } = await make(store, { visibility: 'public' }, ['edelweiss']);
    await indexAll(store);
    const other = new DatabaseSync(path, { timeout: 10_000 });
    other.exec("UPDATE search_index SET id = 'lost'");
    other.exec('BEGIN IMMEDIATE');
    await store503(() => idsOf(store, 'edelweiss'));
    other.exec('ROLLBACK');
    other.close();
    expect(await idsOf(store, 'edelweiss')).toEqual([]);
    expect(await search(store, 'edelweiss')).toEqual([pages[0]!.id]);
  });

  it('is first made when another process is done writing: until then a search waits', async () => {
    const store = await start();
    const other = new DatabaseSync(path, { timeout: 10_000 });
    other.exec('BEGIN IMMEDIATE');
    const found = expect(idsOf(store, 'edelweiss')).resolves.toEqual([]);
    await new Promise(setImmediate);
    expect(filesBeside()).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await found;
    expect(filesBeside()).not.toEqual([]);
  });

  it('is made anew when the database is an older copy of itself', async () => {
    const store = await start();
    const { owner, pages } = await make(store, { visibility: 'public' }, ['early quillwort']);
    await indexAll(store);
    await backupSqlite(path, `${path}.copy`, { overwrite: false });
    await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'late rosemary' }), noon);
    expect(await search(store, 'rosemary')).toEqual([pages[0]!.id]);
    await stop(store);
    copyFileSync(`${path}.copy`, path);

    const again = await start();
    expect([await search(again, 'quillwort'), await search(again, 'rosemary')]).toEqual([[pages[0]!.id], []]);
    expect(bytesHold('rosemary')).toBe(false);
  });

  it('is removed by a restore, and made anew after it', async () => {
    const store = await start();
    const { owner, pages } = await make(store, { visibility: 'public' }, ['sagebrush']);
    await indexAll(store);
    await backupSqlite(path, `${path}.copy`, { overwrite: false });
    await store.deleteNotebook(owner, noon);
    await stop(store);
    await restoreSqlite(`${path}.copy`, path, { overwrite: true });
    expect(filesBeside()).toEqual([]);
    expect(await search(await start(), 'sagebrush')).toEqual([pages[0]!.id]);
  });

  it('keeps its order when it is made anew: the page that changed last comes first', async () => {
    const store = await start();
    const made = await Promise.all(
      [5, 1, 4, 2, 3].map(async at => {
        const notebook = aNotebook({ visibility: 'public' });
        const page = aPage(notebook.id, 0, { markdown: 'tansy', updatedAt: noon + at });
        await store.createNotebook(notebook, [page]);
        return { at, id: page.id };
      }),
    );
    await indexAll(store);
    await stop(store);
    rmSync(searchFileOf(path));
    await indexAll(await start());
    const index = new DatabaseSync(searchFileOf(path), { timeout: 10_000 });
    const ids = index
      .prepare('SELECT page_id FROM search_pages ORDER BY number DESC')
      .all()
      .map(row => row.page_id);
    index.close();
    expect(ids).toEqual(made.toSorted((one, other) => other.at - one.at).map(({ id }) => id));
  });

  it('fits the database again after each of 6 kills in the middle of indexing', { timeout: 120_000 }, async () => {
    await killIndexers(6);
  });
});

/** Damage is answered with 503 at most, never with a wrong answer that stays. */
async function store503(work: () => Promise<unknown>): Promise<void> {
  await work().catch(error => expect(error).toMatchObject({ code: 'unavailable' }));
}
