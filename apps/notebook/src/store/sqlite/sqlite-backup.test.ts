import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openFiles } from '../../../test/support/open-files.ts';
import { backupSqlite, restoreSqlite } from './sqlite-backup.ts';

let folder: string;
let path: string;
let file: string;
const open: DatabaseSync[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-backup-'));
  path = join(folder, 'octavo.db');
  file = join(folder, 'backup.db');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  for (const database of open.splice(0)) if (database.isOpen) database.close();
  rmSync(folder, { recursive: true });
});

const yes = { overwrite: true };
const no = { overwrite: false };

/** A database with only what a backup examines. It stays open, with its last writes in the log. */
function makeDatabase(at: string, titles: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(at);
  open.push(database);
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE migrations (sha256 TEXT); CREATE TABLE notebooks (title TEXT);
    PRAGMA wal_checkpoint(TRUNCATE)`);
  for (const title of titles) database.prepare('INSERT INTO notebooks VALUES (?)').run(title);
  return database;
}

function titlesIn(at: string): unknown[] {
  const database = new DatabaseSync(at, { readOnly: true });
  try {
    const rows = database.prepare('SELECT title FROM notebooks').all();
    return rows.map(({ title }) => title);
  } finally {
    database.close();
  }
}

const namesIn = (at: string) => readdirSync(at).sort();
const modeOf = (at: string) => (statSync(at).mode & 0o777).toString(8);

describe('a backup', () => {
  it('holds what is still in the log, as one sound file for this account alone', async () => {
    makeDatabase(path, ['first', 'second']);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(await backupSqlite(path, file, no)).toBe(statSync(file).size);
    expect(namesIn(folder)).toEqual(['backup.db', 'octavo.db', 'octavo.db-shm', 'octavo.db-wal']);
    // The 19th byte of a database is its write version: 1 for a rollback journal, 2 for a write-ahead log.
    expect([readFileSync(file)[18], modeOf(file)]).toEqual([1, '600']);
    expect(titlesIn(file)).toEqual(['first', 'second']);
  });

  it('is of the moment it began, and does not begin anew when a writer comes', async () => {
    const database = makeDatabase(path, ['first']);
    database.exec('PRAGMA synchronous = OFF; CREATE TABLE texts (text BLOB)');
    for (let page = 0; page < 40; page++) database.exec('INSERT INTO texts VALUES (zeroblob(100000))');
    // A backup that restarted after each of these writes would contain the last one.
    let left = 2_000;
    const write = () => {
      if (left-- > 0) database.exec("INSERT INTO notebooks VALUES ('later')");
      if (left > 0) setImmediate(write);
    };
    setImmediate(write);
    await backupSqlite(path, file, no);
    left = 0;
    expect(titlesIn(file)).toEqual(['first']);
  });

  it('is nobody else’s from its first byte on', async () => {
    makeDatabase(path, ['first']);
    const modes: unknown[][] = [];
    const { openSync } = fs;
    vi.spyOn(fs, 'openSync').mockImplementation((at, ...rest) => {
      modes.push([String(at), ...rest]);
      return openSync(at, ...rest);
    });
    syncBuiltinESMExports();
    await backupSqlite(path, file, no);
    // `x`: never through a link that was put there.
    expect(modes).toEqual([[`${file}.unfinished`, 'wx', 0o600]]);
  });

  it('replaces a file only where it may', async () => {
    makeDatabase(path, ['first']);
    writeFileSync(file, 'an older backup');
    await expect(backupSqlite(path, file, no)).rejects.toThrow(`${file} exists already; --force replaces it.`);
    expect(readFileSync(file, 'utf8')).toBe('an older backup');
    await backupSqlite(path, file, yes);
    expect(titlesIn(file)).toEqual(['first']);
  });

  it('is not made of nothing, and makes nothing', async () => {
    await expect(backupSqlite(path, file, no)).rejects.toThrow(`There is no database at ${path}.`);
    expect(namesIn(folder)).toEqual([]);
  });

  it('never goes into the database itself, by whatever name', async () => {
    makeDatabase(path, ['first']);
    symlinkSync(path, file);
    for (const name of [path, file]) {
      await expect(backupSqlite(path, name, yes)).rejects.toThrow(`${name} is the database itself.`);
    }
    expect(titlesIn(path)).toEqual(['first']);
  });

  it('begins anew over one that was interrupted', async () => {
    makeDatabase(path, ['first']);
    for (const part of ['', '-journal', '-wal', '-shm']) writeFileSync(`${file}.unfinished${part}`, 'half of it');
    await backupSqlite(path, file, no);
    expect(titlesIn(file)).toEqual(['first']);
    expect(namesIn(folder).filter(name => name.includes('unfinished'))).toEqual([]);
  });

  it('that is stopped is stopped while it is copied, and as well while the copy is checked', async () => {
    const database = makeDatabase(path, ['first']);
    // More than is copied in one step.
    database.exec('CREATE TABLE texts (text BLOB); INSERT INTO texts VALUES (zeroblob(4000000))');
    const left: number[] = [];
    const { rmSync } = fs;
    vi.spyOn(fs, 'rmSync').mockImplementation((at, ...rest) => {
      if (at === `${file}.unfinished` && fs.existsSync(at)) left.push(statSync(at).size);
      rmSync(at, ...rest);
    });
    syncBuiltinESMExports();
    const early = new AbortController();
    const stopped = backupSqlite(path, file, { ...no, signal: early.signal });
    early.abort();
    await expect(stopped).rejects.toThrow(early.signal.reason);

    const late = new AbortController();
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
      // A signal that comes now is told when the event loop turns again.
      if (sql === 'PRAGMA integrity_check') setImmediate(() => late.abort());
      return prepare.call(this, sql);
    });
    await expect(backupSqlite(path, file, { ...no, signal: late.signal })).rejects.toThrow(late.signal.reason);
    expect(late.signal.aborted).toBe(true);
    expect(namesIn(folder).filter(name => !name.startsWith('octavo.db'))).toEqual([]);
    // There was all of the second to remove, and less of the first.
    expect(left).toHaveLength(2);
    expect(left[1]).toBeGreaterThan(4_000_000);
    expect(left[0]).toBeLessThan(4_000_000);
  });

  it('of a damaged database takes no place', async () => {
    const database = makeDatabase(path, ['quillwort']);
    database.exec('CREATE INDEX notebooks_by_title ON notebooks (title); PRAGMA journal_mode = DELETE');
    database.close();
    // Each page is whole, but the index contains another word than the table.
    const bytes = readFileSync(path);
    bytes.write('quillworm', bytes.lastIndexOf('quillwort'));
    writeFileSync(path, bytes);
    writeFileSync(file, 'an older backup');
    await expect(backupSqlite(path, file, yes)).rejects.toThrow(`The copy ${file}.unfinished is damaged: `);
    expect(readFileSync(file, 'utf8')).toBe('an older backup');
  });

  it('that fails leaves nothing on a disk that it may have filled', async () => {
    makeDatabase(path, ['first']);
    const before = namesIn(folder);
    vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    syncBuiltinESMExports();
    await expect(backupSqlite(path, file, no)).rejects.toThrow('no space left');
    writeFileSync(join(folder, 'other.db'), 'no database '.repeat(100));
    await expect(backupSqlite(join(folder, 'other.db'), file, no)).rejects.toThrow('not a database');
    expect(namesIn(folder)).toEqual([...before, 'other.db'].sort());
  });
});

describe('a restore', () => {
  beforeEach(async () => {
    const source = join(folder, 'source.db');
    makeDatabase(source, ['kept', 'kept too', 'kept three']);
    await backupSqlite(source, file, no);
    for (const database of open.splice(0)) database.close();
    for (const name of namesIn(folder)) if (name !== 'backup.db') rmSync(join(folder, name));
  });

  it('puts a backup where there is nothing, makes the folder, and counts the notebooks', async () => {
    const there = join(folder, 'new', 'and deep', 'octavo.db');
    expect(await restoreSqlite(file, there, no)).toEqual({ notebooks: 3 });
    expect([titlesIn(there), modeOf(there)]).toEqual([['kept', 'kept too', 'kept three'], '600']);
    expect([dirname(there), join(folder, 'new')].map(modeOf)).toEqual(['700', '700']);
    expect(namesIn(dirname(there))).toEqual(['octavo.db']);
  });

  it('takes the place of a database only where it may, and nothing of the old one is read again', async () => {
    const old = makeDatabase(path, ['old']);
    // The log as a killed process leaves it: closing the database would have checkpointed it.
    const log = readFileSync(`${path}-wal`);
    old.close();
    await expect(restoreSqlite(file, path, no)).rejects.toThrow(`There is a database at ${path} already; --force replaces it.`);
    expect(titlesIn(path)).toEqual(['old']);
    new DatabaseSync(path).exec('PRAGMA journal_mode = DELETE');
    for (const rest of ['-wal', '-shm', '-search-0123456789ab']) writeFileSync(path + rest, log);
    expect(await restoreSqlite(file, path, yes)).toEqual({ notebooks: 3 });
    expect(titlesIn(path)).toEqual(['kept', 'kept too', 'kept three']);
    expect(namesIn(folder)).toEqual(['backup.db', 'octavo.db']);
  });

  it('is never read with a log that an older database left without its file', async () => {
    const old = makeDatabase(path, ['old']);
    const log = readFileSync(`${path}-wal`);
    old.close();
    rmSync(path);
    for (const rest of ['-wal', '-shm']) writeFileSync(path + rest, log);
    await restoreSqlite(file, path, no);
    expect(namesIn(folder)).toEqual(['backup.db', 'octavo.db']);
    expect(titlesIn(path)).toEqual(['kept', 'kept too', 'kept three']);
  });

  it('keeps no file open, done or refused', async () => {
    await restoreSqlite(file, path, no);
    await restoreSqlite(file, path, yes);
    await backupSqlite(path, join(folder, 'another.db'), no);
    const inUse = makeDatabase(join(folder, 'in-use.db'), ['in use']);
    await expect(restoreSqlite(file, join(folder, 'in-use.db'), yes)).rejects.toThrow('is in use');
    inUse.close();
    const other = join(folder, 'other.db');
    writeFileSync(other, 'no database '.repeat(100));
    await expect(restoreSqlite(other, path, yes)).rejects.toThrow('is not a backup');
    await expect(backupSqlite(other, file, yes)).rejects.toThrow('not a database');
    expect(openFiles().filter(name => name.startsWith(folder))).toEqual([]);
  });

  it('takes the place of an empty file without being told', async () => {
    writeFileSync(path, '');
    await restoreSqlite(file, path, no);
    expect(titlesIn(path)).toEqual(['kept', 'kept too', 'kept three']);
  });

  it('leaves a database alone that is in use, with all that belongs to it', async () => {
    makeDatabase(path, ['in use']);
    const before = namesIn(folder);
    await expect(restoreSqlite(file, path, yes)).rejects.toThrow(`The database at ${path} is in use. Stop the service first.`);
    expect([titlesIn(path), namesIn(folder)]).toEqual([['in use'], before]);
  });

  const others: [how: string, before: () => void, meanwhile: () => void, flags: typeof yes, why: string, titles: string[]][] = [
    [
      'opened',
      () => makeDatabase(path, ['old']).close(),
      () => open.push(new DatabaseSync(path)),
      yes,
      'is in use',
      ['old', 'saved'],
    ],
    ['made', () => {}, () => makeDatabase(path, []), no, 'There is a database', ['saved']],
  ];
  it.each(others)(
    'leaves a database alone that is %s while the backup is copied',
    async (_, before, meanwhile, flags, why, titles) => {
      before();
      const restoring = restoreSqlite(file, path, flags).catch((error: unknown) => error);
      meanwhile();
      open.at(-1)!.exec("PRAGMA journal_mode = WAL; INSERT INTO notebooks VALUES ('saved')");
      expect(await restoring).toMatchObject({ message: expect.stringContaining(why) });
      expect(titlesIn(path)).toEqual(titles);
      expect(namesIn(folder)).toEqual(['backup.db', 'octavo.db', 'octavo.db-shm', 'octavo.db-wal']);
    },
  );

  it('leaves a database alone whose log another process is reading again at that moment', async () => {
    makeDatabase(path, ['in use']);
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(() => {
      // SQLITE_BUSY_RECOVERY
      throw Object.assign(new Error('database is locked'), { errcode: 261 });
    });
    await expect(restoreSqlite(file, path, yes)).rejects.toThrow(`The database at ${path} is in use. Stop the service first.`);
    expect(titlesIn(path)).toEqual(['in use']);
  });

  it('that fails on a full disk leaves the log of the database it was to replace', async () => {
    makeDatabase(path, ['old']);
    const full = () => {
      throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
    };
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(full);
    // Makes it impossible to write the copy.
    mkdirSync(`${path}.unfinished`);
    await expect(restoreSqlite(file, path, yes)).rejects.toThrow();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(titlesIn(path)).toEqual(['old']);
  });

  it('takes the place of a damaged database', async () => {
    writeFileSync(path, 'no database '.repeat(1_000));
    await restoreSqlite(file, path, yes);
    expect(titlesIn(path)).toEqual(['kept', 'kept too', 'kept three']);
  });

  it.each([
    ['no database', (at: string) => writeFileSync(at, 'not one '.repeat(1_000))],
    ['another person’s database', (at: string) => new DatabaseSync(at).exec('CREATE TABLE notebooks (title TEXT)')],
    ['a database without notebooks', (at: string) => new DatabaseSync(at).exec('CREATE TABLE migrations (sha256 TEXT)')],
  ])('refuses %s, and keeps the database', async (_, make) => {
    const other = join(folder, 'other.db');
    make(other);
    makeDatabase(path, ['mine']).close();
    const failure: unknown = await restoreSqlite(other, path, yes).catch(error => error);
    expect(failure).toMatchObject({ message: `${other} is not a backup of Octavo.`, cause: { code: 'ERR_SQLITE_ERROR' } });
    expect(titlesIn(path)).toEqual(['mine']);
  });

  it('says which file is missing, and is not one of a file over itself', async () => {
    makeDatabase(path, ['mine']).close();
    const missing = join(folder, 'missing.db');
    await expect(restoreSqlite(missing, path, yes)).rejects.toThrow(`There is no file ${missing}.`);
    await expect(restoreSqlite(path, path, yes)).rejects.toThrow(`${path} is the database itself.`);
    expect(titlesIn(path)).toEqual(['mine']);
  });
});
