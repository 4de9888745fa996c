import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { removeSearchFiles } from '../search/search-file.ts';
import { isBusy } from './sqlite-errors.ts';

export interface CopyOptions {
  /** Whether what is already there may be replaced. */
  readonly overwrite: boolean;
  /** Stops the copying; then what was there is still there, and nothing beside it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies a database that may be in use, including what is still in its write-ahead log.
 * @returns the bytes written
 * @throws when there is no database, the file exists already, or the copy is not sound
 */
export async function backupSqlite(path: string, file: string, { overwrite, signal }: CopyOptions): Promise<number> {
  if (!existsSync(path)) throw new Error(`There is no database at ${path}.`);
  requireTwoFiles(path, file);
  if (existsSync(file) && !overwrite) throw new Error(`${file} exists already; --force replaces it.`);
  await copyInto(path, file, signal);
  return statSync(file).size;
}

/**
 * Replaces a database that nobody uses with a backup.
 * @throws when the backup is not one of ours, or the database has content and may not be replaced, or is in use
 */
export async function restoreSqlite(
  file: string,
  path: string,
  { overwrite, signal }: CopyOptions,
): Promise<{ notebooks: number }> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  requireTwoFiles(path, file);
  const notebooks = countNotebooks(file);
  const requireReplaceable = () => {
    if (!existsSync(path) || statSync(path).size === 0) return;
    if (!overwrite) throw new Error(`There is a database at ${path} already; --force replaces it.`);
    requireUnused(path);
  };
  requireReplaceable();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await copyInto(file, path, signal, () => {
    // Copying takes long enough for the service to be started: what it saves would be lost with the file that it has open.
    requireReplaceable();
    // The old database's log must never be read as the new one's.
    for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
    // The text index may hold text that the backup does not: the service builds a new one.
    removeSearchFiles(path);
  });
  return { notebooks };
}

/** Renamed over itself, the database would continue in a file that no longer has a name. */
function requireTwoFiles(path: string, file: string): void {
  if (existsSync(path) && existsSync(file) && realpathSync(path) === realpathSync(file))
    throw new Error(`${file} is the database itself.`);
}

/**
 * Writes beside the destination and renames: an interruption loses nothing that was there.
 * @param makeWay called when the copy is complete, just before it takes its place
 */
async function copyInto(from: string, to: string, signal: AbortSignal | undefined, makeWay = () => {}): Promise<void> {
  const beside = `${to}.unfinished`;
  removeCopy(beside);
  // The copy holds texts and the key that signs cookies, so it is private from the first byte.
  closeSync(openSync(beside, 'wx', 0o600));
  try {
    await copy(from, beside, signal);
    requireIntact(beside);
    // A stop during the check, which blocks the event loop, arrives only now.
    await setImmediate();
    signal?.throwIfAborted();
    chmodSync(beside, 0o600);
    makeWay();
    renameSync(beside, to);
  } catch (error) {
    // An unfinished copy must not keep the disk full: the service may write to it.
    removeCopy(beside);
    throw error;
  }
}

function removeCopy(path: string): void {
  for (const part of ['', '-journal', '-wal', '-shm']) rmSync(path + part, { force: true });
}

async function copy(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    // A read transaction holds the database as it is now. Without it, SQLite restarts the backup after every write by another connection and
    // never finishes beside a busy service.
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    await backup(source, to, { progress: () => signal?.throwIfAborted() });
    signal?.throwIfAborted();
  } finally {
    source.close();
  }
}

function requireIntact(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    // One plain file without a log beside it, whatever the original used.
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

/** Leaving WAL mode is only possible while nobody else has the database open. A damaged database may be replaced. */
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
