import { DatabaseSync } from 'node:sqlite';
import { busyMillis } from '../sqlite/sqlite-errors.ts';
import { type Execute, executeOn } from '../sqlite/sqlite-execute.ts';
import type { Query } from '../statement.ts';
import { isDamaged, openSearchFile, searchFilePath } from './search-file.ts';
import { LostIndex, readIndexId, usingIndex } from './sqlite-search-writer.ts';

/** Queries the index and the database together; writes to neither. */
export class SearchReader {
  readonly #path: string;
  #open: { readonly id: string; readonly database: DatabaseSync; readonly execute: Execute } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(query: Query): unknown[] {
    const { id, execute } = this.#current();
    try {
      return execute(query);
    } catch (error) {
      if (isDamaged(error) && !this.#isIndexSound(id)) throw new LostIndex(id, error);
      throw error;
    }
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #current() {
    const id = this.#open && readIndexId(this.#open.execute);
    if (this.#open && this.#open.id === id) return this.#open;
    this.close();
    const database = new DatabaseSync(this.#path, { timeout: busyMillis });
    try {
      const execute = executeOn(database);
      const current = readIndexId(execute);
      const file = searchFilePath(this.#path, current);
      // ATTACH would create the file if there is none.
      usingIndex(current, () => openSearchFile(file).close());
      database.prepare('ATTACH ? AS search').all(file);
      database.exec('PRAGMA query_only = ON');
      this.#open = { id: current, database, execute };
      return this.#open;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Whether the index failed and not the database beside it. */
  #isIndexSound(id: string): boolean {
    try {
      const index = openSearchFile(searchFilePath(this.#path, id));
      try {
        const [answer] = index.prepare('PRAGMA quick_check(1)').all() as { quick_check?: string }[];
        return answer?.quick_check === 'ok';
      } finally {
        index.close();
      }
    } catch {
      return false;
    }
  }
}
