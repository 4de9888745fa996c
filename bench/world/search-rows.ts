import { DatabaseSync } from 'node:sqlite';
import { findSqlitePath } from '../../apps/notebook/src/store/open-store.ts';
import { gramsArray, textAndGrams } from '../../apps/notebook/src/store/search/indexed-text.ts';
import { searchFilePath } from '../../apps/notebook/src/store/search/search-file.ts';
import type { PublicCopy } from './copies.ts';
import type { Target } from './target.ts';

/** The rows of the text index, created by the program's own functions but all at once. */
export interface SearchRows {
  add(pages: readonly PublicCopy[]): Promise<void>;
  /** Builds what was deferred until all rows are there. */
  finish(): Promise<void>;
}

export async function searchRows(target: Target, databaseUrl: string): Promise<SearchRows> {
  const path = findSqlitePath(databaseUrl);
  return path === undefined ? postgresRows(target) : sqliteRows(target, path);
}

async function postgresRows(target: Target): Promise<SearchRows> {
  const [index] = await target.rows(`SELECT indexdef FROM pg_indexes WHERE indexname = 'search_pages_grams'`);
  await target.rows('DROP INDEX search_pages_grams');
  return {
    async add(pages) {
      const rows = pages.map(page => ({ page: page.pageId, grams: gramsArray(page) }));
      await target.rows(
        `INSERT INTO search_pages (page_id, grams)
          SELECT value->>'page', CAST(value->>'grams' AS text[]) FROM json_array_elements(CAST($1 AS json))`,
        JSON.stringify(rows),
      );
    },
    async finish() {
      await target.rows(`SET maintenance_work_mem = '512MB'`);
      await target.rows(String(index!.indexdef));
    },
  };
}

/** How many pages can have changed in the same millisecond (store/search/sqlite-search-writer.ts). */
const placesInMillisecond = 4_096;

async function sqliteRows(target: Target, path: string): Promise<SearchRows> {
  const [{ id }] = (await target.rows('SELECT id FROM search_index')) as unknown as [{ id: string }];
  const file = new DatabaseSync(searchFilePath(path, id));
  const triggers = file.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`).all() as {
    name: string;
    sql: string;
  }[];
  file.exec(`PRAGMA synchronous = OFF; ${triggers.map(({ name }) => `DROP TRIGGER ${name};`).join(' ')}`);
  const insert = file.prepare('INSERT OR IGNORE INTO search_pages (number, page_id, text, grams) VALUES (?, ?, ?, ?)');
  return {
    async add(pages) {
      file.exec('BEGIN');
      for (const page of pages) {
        const { text, grams } = textAndGrams(page);
        // If two pages share a millisecond, any other place is as good for a bench.
        const place = Number.parseInt(page.pageId.slice(0, 3), 16);
        insert.run(page.updatedAt * placesInMillisecond + place, page.pageId, text, grams);
      }
      file.exec('COMMIT');
      const rows = JSON.stringify(pages.map(({ pageId }) => pageId));
      await target.rows('INSERT INTO search_indexed (page_id) SELECT value FROM json_each(?)', rows);
    },
    async finish() {
      for (const table of ['search_text', 'search_short']) file.exec(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
      for (const { sql } of triggers) file.exec(sql);
      file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      file.close();
    },
  };
}
