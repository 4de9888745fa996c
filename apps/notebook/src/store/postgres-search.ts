import { type Kysely, sql } from 'kysely';
import { longGrams, shortGrams } from './search-grams.ts';
import type { SearchIndex } from './search-index.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** One array of grams a page under a GIN index: needs no extension, and no locale decides what a letter is. */
export function postgresSearch(builder: Kysely<Tables>): SearchIndex {
  const put = statement(({ page, grams }: { page: string; grams: readonly string[] }) => ({
    compile: () =>
      sql`INSERT INTO search_pages (page_id, grams) VALUES (${page}, ${grams})
        ON CONFLICT (page_id) DO UPDATE SET grams = excluded.grams`.compile(builder),
  }));
  return {
    *put(page, folded) {
      yield put.with({ page, grams: [...new Set([...longGrams(folded), ...shortGrams(folded)])] });
    },
  };
}
