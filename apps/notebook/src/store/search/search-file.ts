import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile } from '../sqlite/private-file.ts';
import { busyMillis } from '../sqlite/sqlite-errors.ts';

/**
 * SQLite's text index: its own file beside the database, written by its own thread, so that even a long text does not block the event loop.
 * It holds nothing that the pages do not: an index that is missing, damaged or does not fit the database is rebuilt from them. Its name
 * contains an id that the database knows. A new index has a new id, so a process that still has the old file open does no harm.
 */
const schema = `
  -- Numbers grow with the time of a page's last change: a search walks them from the end and meets what changed last first.
  CREATE TABLE search_pages (
    number INTEGER PRIMARY KEY,
    page_id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    grams TEXT NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE search_text USING fts5 (text, content = 'search_pages', content_rowid = 'number', tokenize = 'trigram case_sensitive 1');
  CREATE VIRTUAL TABLE search_short USING fts5 (grams, content = 'search_pages', content_rowid = 'number', tokenize = 'ascii');
  -- What leaves the index is taken out of it at once, not only marked and merged away some day.
  INSERT INTO search_text (search_text, rank) VALUES ('secure-delete', 1);
  INSERT INTO search_short (search_short, rank) VALUES ('secure-delete', 1);
  CREATE TRIGGER search_pages_added AFTER INSERT ON search_pages BEGIN
    INSERT INTO search_text (rowid, text) VALUES (new.number, new.text);
    INSERT INTO search_short (rowid, grams) VALUES (new.number, new.grams);
  END;
  CREATE TRIGGER search_pages_removed AFTER DELETE ON search_pages BEGIN
    INSERT INTO search_text (search_text, rowid, text) VALUES ('delete', old.number, old.text);
    INSERT INTO search_short (search_short, rowid, grams) VALUES ('delete', old.number, old.grams);
  END;
  -- The highest number of the queue that was followed.
  CREATE TABLE followed (number INTEGER NOT NULL) STRICT;
  INSERT INTO followed (number) VALUES (0);`;

export function searchFilePath(path: string, id: string): string {
  return `${path}-search-${id}`;
}

/** @throws an error that `isDamaged` recognizes, when the file does not exist or contains no index */
export function openSearchFile(file: string): DatabaseSync {
  if (!existsSync(file)) throw damaged('there is no such file');
  const index = new DatabaseSync(file, { timeout: busyMillis });
  try {
    setUp(index);
    readFollowed(index);
    return index;
  } catch (error) {
    index.close();
    const { errcode = 0, message } = error as { errcode?: number; message: string };
    throw (errcode & 0xff) === missingTable ? damaged(message) : error;
  }
}

function readFollowed(index: DatabaseSync): number {
  const row = index.prepare('SELECT number FROM followed').get() as { number: number } | undefined;
  if (!row) throw damaged('it says nowhere what it followed');
  return row.number;
}

const damagedCode = 'DAMAGED_INDEX';
const missingTable = 1;

function damaged(message: string): Error {
  return Object.assign(new Error(message), { code: damagedCode });
}

/** CORRUPT and NOTADB, or an error of `openSearchFile`. */
export function isDamaged(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: string; errcode?: number };
  return code === damagedCode || [11, 26].includes(errcode & 0xff);
}

/**
 * Deleted text is overwritten, as in the database. Commits do not wait for the disk, because every such wait would also delay the
 * database's writes. A power failure may cost the last commits but not the file; the index has then followed too little and is rebuilt.
 */
function setUp(index: DatabaseSync): void {
  index.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
}

/**
 * Rebuilds the index when it does not fit the database: after the first start of this version, a restored backup or a lost file.
 * @throws an error of SQLite
 */
export function rebuildUnlessFitting(database: DatabaseSync, path: string): void {
  if (isFitting(database, path)) return;
  inWrite(database, () => {
    // Another process may have rebuilt it meanwhile.
    if (!isFitting(database, path)) rebuild(database, path);
  });
}

/**
 * Throws the index away, whatever it contains, and queues every public page.
 * @param id of the index that was found to be damaged; nothing happens if another has replaced it
 */
export function rebuildSearchFile(database: DatabaseSync, path: string, id: string): void {
  inWrite(database, () => {
    if (readState(database).id === id) rebuild(database, path);
  });
}

/** No transaction is open on the connection: each of its writes begins and ends in one turn of the event loop. */
function inWrite(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function rebuild(database: DatabaseSync, path: string): void {
  const id = randomBytes(6).toString('hex');
  createFile(searchFilePath(path, id));
  database.prepare('UPDATE search_index SET id = ?, followed = 0').run(id);
  database.exec(`
    DELETE FROM search_indexed;
    INSERT OR REPLACE INTO search_queue (page_id, notebook_id)
      SELECT pages.id, pages.notebook_id FROM pages JOIN notebooks ON notebooks.id = pages.notebook_id
      WHERE notebooks.visibility = 'public' AND notebooks.taken_down_at IS NULL ORDER BY pages.updated_at, pages.id`);
  // Nobody else can be making one now: that would take the write lock, which we hold.
  removeSearchFiles(path, id);
}

function createFile(file: string): void {
  makePrivateFile(file);
  const index = new DatabaseSync(file, { timeout: busyMillis });
  try {
    index.exec('PRAGMA journal_mode = WAL');
    setUp(index);
    index.exec(`BEGIN; ${schema}; COMMIT`);
  } finally {
    index.close();
  }
}

/** Removes all index files, or all but one. */
export function removeSearchFiles(path: string, except?: string): void {
  const prefix = `${basename(path)}-search-`;
  for (const name of readdirSync(dirname(path))) {
    const id = name.startsWith(prefix) ? /^([0-9a-f]{12})(?:-wal|-shm)?$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (id !== undefined && id !== except) rmSync(join(dirname(path), name), { force: true });
  }
}

function readState(database: DatabaseSync): { id: string; followed: number; most: number } {
  return database
    .prepare(
      `SELECT id, followed, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'search_queue'), 0) AS most FROM search_index`,
    )
    .get() as { id: string; followed: number; most: number };
}

/**
 * An index that has followed less than the database knows, or more than was ever queued, belongs to an older or newer copy of the database.
 */
function isFitting(database: DatabaseSync, path: string): boolean {
  // Read before the index, which can only be ahead of this value.
  const { id, followed: least } = readState(database);
  let index: DatabaseSync | undefined;
  try {
    index = openSearchFile(searchFilePath(path, id));
    const number = readFollowed(index);
    return number >= least && number <= readState(database).most;
  } catch (error) {
    if (isDamaged(error)) return false;
    throw error;
  } finally {
    index?.close();
  }
}
