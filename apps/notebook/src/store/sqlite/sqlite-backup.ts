import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { removeSearchFiles } from '../search/search-file.ts';
import { isBusy } from './sqlite-errors.ts';

export interface CopyOptions {
  /** Whether what is already there may be replaced. */
  readonly overwrite: boolean;
}

/**
 * Copies a database that may be in use; what is still in its write-ahead log is in the copy.
 * @returns the bytes written
 * @throws when there is no database, the file exists already, or the copy is not sound
 */
export async function backupSqlite(path: string, file: string, { overwrite }: CopyOptions): Promise<number> {
  if (!existsSync(path)) throw new Error(`There is no database at ${path}.`);
  requireTwoFiles(path, file);
  if (existsSync(file) && !overwrite) throw new Error(`${file} exists already; --force replaces it.`);
  await copyInto(path, file);
  return statSync(file).size;
}

/**
 * Puts a backup in the place of a database that nobody uses.
 * @throws when the backup is not one of ours, or the database holds something and may not be replaced, or is in use
 */
export async function restoreSqlite(file: string, path: string, { overwrite }: CopyOptions): Promise<{ notebooks: number }> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  requireTwoFiles(path, file);
  const notebooks = countNotebooks(file);
  if (existsSync(path) && statSync(path).size > 0) {
    if (!overwrite) throw new Error(`There is a database at ${path} already; --force replaces it.`);
    requireUnused(path);
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await copyInto(file, path, () => {
    // The log of the old database must never be read as one of the new.
    for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
    // Its text index holds what the backup may not: the service makes a new one.
    removeSearchFiles(path);
  });
  return { notebooks };
}

/** Renamed over itself, a database would go on in a file that has no name any more. */
function requireTwoFiles(path: string, file: string): void {
  if (existsSync(path) && existsSync(file) && realpathSync(path) === realpathSync(file))
    throw new Error(`${file} is the database itself.`);
}

/**
 * Written beside its place and renamed: whoever interrupts it loses nothing that was there.
 * @param makeWay called when the copy is whole, just before it takes its place
 */
async function copyInto(from: string, to: string, makeWay = () => {}): Promise<void> {
  const beside = `${to}.unfinished`;
  removeCopy(beside);
  // It holds texts and the key that signs cookies: nobody else's from the first byte on.
  closeSync(openSync(beside, 'wx', 0o600));
  try {
    await copy(from, beside);
    requireSound(beside);
    chmodSync(beside, 0o600);
    makeWay();
    renameSync(beside, to);
  } catch (error) {
    // What filled the disk must not keep it full: the service may write there.
    removeCopy(beside);
    throw error;
  }
}

function removeCopy(path: string): void {
  for (const part of ['', '-journal', '-wal', '-shm']) rmSync(path + part, { force: true });
}

async function copy(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    // As it stands now: SQLite begins anew after each write of somebody else's, and would never end beside a service at work.
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    await backup(source, to);
  } finally {
    source.close();
  }
}

function requireSound(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    // One plain file without a log beside it, whatever the original was.
    copy.exec('PRAGMA journal_mode = DELETE');
    const [answer] = copy.prepare('PRAGMA integrity_check').all();
    if (answer?.integrity_check !== 'ok') throw new Error(`The copy ${file} is damaged: ${answer?.integrity_check}.`);
  } finally {
    copy.close();
  }
}

function countNotebooks(file: string): number {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    database.prepare('SELECT sha256 FROM migrations LIMIT 1').get();
    return Number(database.prepare('SELECT count(*) AS count FROM notebooks').get()?.count);
  } catch (cause) {
    throw new Error(`${file} is not a backup of Octavo.`, { cause });
  } finally {
    database?.close();
  }
}

/** Leaving the write-ahead log is only possible while nobody else has the database open. A damaged one may be replaced. */
function requireUnused(path: string): void {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (!isBusy(error)) return;
    throw new Error(`The database at ${path} is in use. Stop the service first.`);
  } finally {
    database.close();
  }
}
