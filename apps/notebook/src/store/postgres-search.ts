import { type Kysely, sql } from 'kysely';
import type { SearchIndex } from './search-index.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** One array of grams a page under a GIN index: needs no extension, and no locale decides what a letter is. */
export function postgresSearch(builder: Kysely<Tables>): SearchIndex {
  // The page's row is held: one that is being deleted would leave the insert without its foreign key.
  const put = statement(({ page, grams }: { page: string; grams: readonly string[] }) => ({
    compile: () =>
      sql`INSERT INTO search_pages (page_id, grams) SELECT id, CAST(${grams} AS text[]) FROM pages WHERE id = ${page} FOR KEY SHARE
        ON CONFLICT (page_id) DO UPDATE SET grams = excluded.grams`.compile(builder),
  }));
  const drop = statement(({ page }: { page: string }) => ({
    compile: () => sql`DELETE FROM search_pages WHERE page_id = ${page}`.compile(builder),
  }));
  return {
    wantsLongGrams: true,
    dropsFirst: false,
    *put({ page, longGrams, shortGrams }) {
      yield put.with({ page, grams: [...new Set([...longGrams, ...shortGrams])] });
    },
    *drop(page) {
      yield drop.with({ page });
    },
  };
}
