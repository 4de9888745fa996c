import { DatabaseSync } from 'node:sqlite';
import { busyMillis } from '../sqlite/sqlite-errors.ts';
import { type Execute, executeOn } from '../sqlite/sqlite-execute.ts';
import type { Query } from '../statement.ts';
import { textAndGrams } from './indexed-text.ts';
import { isDamaged, openSearchFile, searchFilePath } from './search-file.ts';
import type { Followed, PageToIndex } from './search-index.ts';

/** The index is broken: the main thread rebuilds it. */
export class LostIndex extends Error {
  readonly lostIndex: string;
  constructor(id: string, cause: unknown) {
    super(`The text index ${id} cannot be used: ${(cause as Error).message}`, { cause });
    this.lostIndex = id;
  }
}

export interface FollowRequest {
  readonly pageId: string;
  readonly number: number;
  /** Returns a row while the page is still queued under this number. */
  readonly find: Query;
  /** Returns the page's text when it is public. Absent: the page is not to be searched. */
  readonly page: Query | undefined;
}

/** Reads the database and never writes to it. The index is always the one that the database currently names. */
export class SearchWriter {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #ask: Execute;
  #index: { readonly id: string; readonly file: DatabaseSync; readonly execute: Execute } | undefined;
  #written = false;

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { timeout: busyMillis });
    this.#database.exec('PRAGMA query_only = ON');
    this.#ask = executeOn(this.#database);
  }

  follow({ pageId, number, find, page }: FollowRequest): Followed {
    const id = readIndexId(this.#ask);
    return usingIndex(id, () => {
      const { file, execute } = this.#open(id);
      file.exec('BEGIN IMMEDIATE');
      try {
        // Read only now: nobody else changes the index until this is committed, so an older text never replaces a newer one.
        const followed = ask(() => (this.#ask(find).length === 0 ? 'late' : page && this.#ask(page)[0])) as
          | 'late'
          | PageToIndex
          | undefined;
        if (followed === 'late') {
          file.exec('ROLLBACK');
          return 'late';
        }
        if (followed) put(execute, pageId, followed);
        else drop(execute, pageId);
        execute(fixed('UPDATE followed SET number = max(number, ?)', number));
        file.exec('COMMIT');
        this.#written = true;
        return followed ? 'in' : 'out';
      } catch (error) {
        if (file.isTransaction) file.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /**
   * Empties the write-ahead log, which holds pages of the file as they were before a text was removed.
   * @returns false while a reader uses it
   */
  tidy(): boolean {
    if (!this.#index || !this.#written) return true;
    try {
      const [{ busy }] = this.#index.file.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all() as [{ busy: number }];
      this.#written = busy !== 0;
    } catch {
      // A full disk or a damaged file: indexing the next page reports it.
      this.#written = false;
    }
    return !this.#written;
  }

  close(): void {
    this.#index?.file.close();
    this.#database.close();
  }

  #open(id: string) {
    if (this.#index?.id === id) return this.#index;
    this.#index?.file.close();
    this.#index = undefined;
    const file = openSearchFile(searchFilePath(this.#path, id));
    this.#index = { id, file, execute: executeOn(file) };
    return this.#index;
  }
}

export function readIndexId(execute: Execute): string {
  const [row] = execute(fixed('SELECT id FROM search_index')) as { id: string }[];
  return row?.id ?? '';
}

export function fixed(sql: string, ...values: (string | number)[]): Query {
  return { sql, values, isFixed: true };
}

/** A fault of the database, not of the index. */
class DatabaseFault {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

function ask<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new DatabaseFault(error);
  }
}

/** @throws LostIndex */
export function usingIndex<Result>(id: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof DatabaseFault) throw error.error;
    throw isDamaged(error) ? new LostIndex(id, error) : error;
  }
}

/** How many pages may change in the same millisecond. */
const placesInMillisecond = 4_096;

function put(execute: Execute, pageId: string, page: PageToIndex): void {
  const { text, grams } = textAndGrams(page);
  const least = page.updatedAt * placesInMillisecond;
  const [known] = execute(
    fixed('SELECT number, text = ? AND grams = ? AS same FROM search_pages WHERE page_id = ?', text, grams, pageId),
  ) as {
    number: number;
    same: number;
  }[];
  // Removing and adding a page of random words again takes a second of processor time.
  if (known?.same && Math.floor(known.number / placesInMillisecond) === page.updatedAt) return;
  drop(execute, pageId);
  const [last] = execute(
    fixed('SELECT max(number) AS number FROM search_pages WHERE number >= ? AND number < ?', least, least + placesInMillisecond),
  ) as {
    number: number | null;
  }[];
  const number = last?.number == null ? least : last.number + 1;
  execute(fixed('INSERT INTO search_pages (number, page_id, text, grams) VALUES (?, ?, ?, ?)', number, pageId, text, grams));
}

function drop(execute: Execute, pageId: string): void {
  execute(fixed('DELETE FROM search_pages WHERE page_id = ?', pageId));
}
