import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Engine } from '../engine.ts';
import type { Migration } from '../migrate.ts';
import type { Query, Statement, Value } from '../statement.ts';
import { openSqlite } from './sqlite.ts';
import { Checkpoints } from './sqlite-checkpoints.ts';
import type { SyncedFile } from './sqlite-log-sync.ts';

let folder: string;
let path: string;
const engines: Engine[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-engine-'));
  path = join(folder, 'octavo.db');
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(folder, { recursive: true });
});

function open(at = path, log?: SyncedFile): Engine {
  const engine = log ? openSqlite(at, () => log) : openSqlite(at);
  engines.push(engine);
  return engine;
}

async function close(engine: Engine): Promise<void> {
  engines.splice(engines.indexOf(engine), 1);
  await engine.close();
}

type Row = Record<string, unknown>;
const plain = (sql: string): Statement<readonly Value[], Row> => ({
  sql,
  with: (values): Query => ({ sql, values, isFixed: false }),
});
const ask = async (engine: Engine, sql: string) => Object.values((await engine.read(plain(sql), []))[0] ?? {})[0];

const makeTable: Migration = { name: '0001-words.sql', sql: 'CREATE TABLE words (word TEXT NOT NULL)', sha256: 'a' };
const insert = plain('INSERT INTO words VALUES (?) RETURNING word');
const words = async (engine: Engine) => (await engine.read(plain('SELECT word FROM words'), [])).map(({ word }) => word);

const ofSqlite = (errcode: number): Error => Object.assign(new Error('what SQLite said'), { errcode });
const [busy, readOnly, full] = [5, 8, 13].map(ofSqlite) as [Error, Error, Error];

const { exec, prepare } = DatabaseSync.prototype;

/** Makes a connection fail, as often as told, when it is handed this SQL. */
function failAt(name: 'exec' | 'prepare', wanted: string, error: Error, times = Number.POSITIVE_INFINITY) {
  const real = { exec, prepare }[name] as (sql: string) => never;
  let failed = 0;
  vi.spyOn(DatabaseSync.prototype, name).mockImplementation(function (this: DatabaseSync, sql: string) {
    if (sql !== wanted || failed === times) return real.call(this, sql);
    failed += 1;
    throw error;
  });
  return () => failed;
}

describe('a database in a file', () => {
  it('writes ahead, checks foreign keys, writes over what is deleted, and seldom copies its log in a commit', async () => {
    const engine = open();
    const settings = ['journal_mode', 'foreign_keys', 'secure_delete', 'synchronous', 'wal_autocheckpoint', 'busy_timeout'];
    const state = () => Promise.all(settings.map(name => ask(engine, `PRAGMA ${name}`)));
    expect(await state()).toEqual(['wal', 1, 1, 1, 32_000, 10_000]);
    await engine.migrate([makeTable]);
    expect(await state()).toEqual(['wal', 1, 1, 1, 32_000, 0]);
    expect(engine.file).toBe(path);
  });

  it('is not opened where it cannot be, says why with its path, and leaves no connection behind', () => {
    const closed = vi.spyOn(DatabaseSync.prototype, 'close');
    writeFileSync(path, 'no database '.repeat(100));
    expect(() => openSqlite(path)).toThrow(`The database file ${path} cannot be opened: it is not a SQLite database.`);
    expect(closed).toHaveBeenCalledTimes(1);
    expect(() => openSqlite(folder)).toThrow(`The database file ${folder} cannot be opened: it is a folder.`);
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('waits while another process switches it to the log, and at most 10 seconds', () => {
    const [wal, wait] = ['PRAGMA journal_mode = WAL', vi.spyOn(Atomics, 'wait')];
    const failed = failAt('exec', wal, busy, 3);
    open();
    expect([failed(), wait.mock.calls.length, wait.mock.calls[0]?.at(-1)]).toEqual([3, 3, 5]);

    const now = vi.spyOn(Date, 'now');
    for (const time of [0, 1, 10_000, 10_001]) now.mockReturnValueOnce(time);
    const failedAgain = failAt('exec', wal, busy);
    expect(() => openSqlite(path)).toThrow('another process holds it');
    expect(failedAgain()).toBe(3);
    const failedOtherwise = failAt('exec', wal, readOnly);
    now.mockReset();
    expect(() => openSqlite(path)).toThrow('this process may read it and not write to it.');
    expect(failedOtherwise()).toBe(1);
  });

  it('gives back its threads, its log and its connection when it is closed', async () => {
    const log = { sync: vi.fn(async () => {}), close: vi.fn(async () => {}) };
    const engine = open(path, log);
    const [checkpoints, connection] = [vi.spyOn(Checkpoints.prototype, 'close'), vi.spyOn(DatabaseSync.prototype, 'close')];
    await engine.migrate([makeTable]);
    const last = engine.run(insert, ['last']);
    await close(engine);
    expect(await last).toEqual([{ word: 'last' }]);
    for (const closing of [log.close, checkpoints, connection]) expect(closing).toHaveBeenCalledTimes(1);
    await expect(engine.run(insert, ['late'])).rejects.toThrow('The store is closed.');
    expect(await words(open())).toEqual(['last']);
  });
});

describe('a database in memory', () => {
  it('makes no file, has no log to wait for, and asks no disk for room', async () => {
    const statfs = vi.spyOn(fs, 'statfs').mockRejectedValue(new Error('no disk'));
    syncBuiltinESMExports();
    const counted = vi.spyOn(Checkpoints.prototype, 'count');
    const engine = open(':memory:');
    await engine.migrate([makeTable]);
    expect(await engine.run(insert, ['here'])).toEqual([{ word: 'here' }]);
    await engine.requireDiskSpace();
    expect(counted).not.toHaveBeenCalled();
    expect([statfs.mock.calls, 'file' in engine, existsSync(':memory:'), existsSync(':memory:-wal')]).toEqual([
      ...[[], false, false, false],
    ]);
  });
});

describe('reading', () => {
  it('waits with the event loop free while another process holds the file', async () => {
    const engine = open();
    const failed = failAt('prepare', 'SELECT 1', busy, 3);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 1);
    expect(await ask(engine, 'SELECT 1')).toBe(1);
    clearInterval(counting);
    // At least one in each wait; how many more depends on the machine.
    expect([failed(), turns >= 3]).toEqual([3, true]);
  });

  it('gives up after 5 seconds, and at once where it is not busy', async () => {
    const engine = open();
    const failed = failAt('prepare', 'SELECT 1', busy);
    const now = vi.spyOn(performance, 'now');
    for (const time of [0, 4_999, 5_000, 5_001]) now.mockReturnValueOnce(time);
    const failure: unknown = await ask(engine, 'SELECT 1').catch(error => error);
    now.mockRestore();
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect([(failure as Error).cause, failed()]).toEqual([busy, 3]);
    const failedOnce = failAt('prepare', 'SELECT 2', readOnly);
    await expect(ask(engine, 'SELECT 2')).rejects.toThrow(DatabaseUnavailable);
    expect(failedOnce()).toBe(1);
    await expect(ask(engine, 'SELECT missing')).rejects.toThrow('no such column: missing');
  });

  it('of a first row needs no turn of the event loop, and knows when anything changed', async () => {
    const engine = open();
    await engine.migrate([makeTable]);
    const { sync } = engine;
    const state = sync!.state(false);
    expect([sync!.state(false), sync!.first(plain('SELECT word FROM words'), [])]).toEqual([state, undefined]);
    await engine.run(insert, ['one']);
    expect(sync!.state(false)).not.toBe(state);
    expect(sync!.first(plain('SELECT word FROM words WHERE word = ?'), ['one'])).toEqual(['one']);
  });
});

describe('writing', () => {
  it('is one transaction, undone as a whole where it fails', async () => {
    const engine = open();
    await engine.migrate([makeTable]);
    const both = engine.write(function* () {
      yield insert.with(['lost']);
      yield insert.with([null]);
    });
    await expect(both).rejects.toThrow('NOT NULL');
    const kept = await engine.write(function* () {
      return (yield insert.with(['kept'])) as Row[];
    });
    expect([kept, await words(engine)]).toEqual([[{ word: 'kept' }], ['kept']]);
  });

  it('is counted for the log, and reading is not', async () => {
    const engine = open();
    await engine.migrate([makeTable]);
    const count = vi.spyOn(Checkpoints.prototype, 'count');
    await engine.read(plain('SELECT word FROM words'), []);
    await engine.run(insert, ['one']);
    expect(count.mock.calls).toEqual([[insert.with(['one'])]]);
  });

  it('that found no room is remembered, and the disk below the file is asked', async () => {
    const statfs = vi.spyOn(fs, 'statfs');
    syncBuiltinESMExports();
    const engine = open();
    await engine.requireDiskSpace();
    expect(statfs).toHaveBeenCalledExactlyOnceWith(folder);
    const writing = engine.write(() => {
      throw full;
    });
    await expect(writing).rejects.toThrow(DatabaseUnavailable);
    await expect(engine.requireDiskSpace()).rejects.toMatchObject({ cause: full });
  });

  it('that the disk does not confirm ends the process, and says why', async () => {
    const { setImmediate } = globalThis;
    const thrown: unknown[] = [];
    vi.spyOn(globalThis, 'setImmediate').mockImplementation(((work: () => void) =>
      setImmediate(() => {
        try {
          work();
        } catch (error) {
          thrown.push(error);
        }
      })) as never);
    const lost = new Error('EIO');
    const engine = open(path, { sync: () => Promise.reject(lost), close: async () => {} });
    await engine.migrate([makeTable]);
    await expect(engine.run(insert, ['lost'])).rejects.toMatchObject({ code: 'unavailable', uncertain: true });
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    const message = 'The disk did not confirm a write to the database. Octavo exits so that it starts again from what is stored.';
    expect(thrown).toMatchObject([{ message, cause: lost }]);
  });
});

describe('migrating', () => {
  const more: Migration = { name: '0002-more.sql', sql: 'CREATE TABLE more (word TEXT)', sha256: 'b' };
  const applied = (engine: Engine) => engine.read(plain('SELECT * FROM migrations ORDER BY number'), []);

  it('applies what is new, and says when', async () => {
    const engine = open();
    const before = new Date().toISOString();
    await engine.migrate([makeTable]);
    await engine.run(insert, ['kept']);
    const said = vi.spyOn(DatabaseSync.prototype, 'exec');
    await engine.migrate([makeTable, more]);
    // Another process may be migrating, for as long as a large database takes.
    expect([said.mock.calls.at(0), said.mock.calls.at(-1)]).toEqual([
      ['PRAGMA busy_timeout = 10000'],
      ['PRAGMA busy_timeout = 0'],
    ]);
    const rows = await applied(engine);
    expect(rows.map(({ number, name, sha256 }) => [number, name, sha256])).toEqual([
      [1, '0001-words.sql', 'a'],
      [2, '0002-more.sql', 'b'],
    ]);
    for (const { applied_at } of rows) expect(String(applied_at) >= before).toBe(true);
    expect(await words(engine)).toEqual(['kept']);
  });

  it('changes nothing where one of them fails, and can be done again', async () => {
    const engine = open();
    const broken = { ...more, sql: 'CREATE TABLE more (word TEXT); CREATE TABLE more (word TEXT)' };
    await expect(engine.migrate([makeTable, broken])).rejects.toThrow(/^table more already exists$/);
    expect(await engine.read(plain('SELECT name FROM sqlite_schema'), [])).toEqual([]);
    await engine.migrate([makeTable, more]);
    expect(await applied(engine)).toHaveLength(2);
  });

  it('says with the path that the file may not be written', async () => {
    const engine = open();
    failAt('exec', 'BEGIN IMMEDIATE', readOnly);
    const failure: unknown = await engine.migrate([makeTable]).catch(error => error);
    const message = `The database file ${path} cannot be opened: this process may read it and not write to it.`;
    expect(failure).toMatchObject({ message, cause: readOnly });
  });
});
