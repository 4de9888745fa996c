import { type Kysely, sql } from 'kysely';
import { shortGrams } from './search-grams.ts';
import type { SearchIndex } from './search-index.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** One row a page; triggers carry it into two FTS5 tables, trigrams of the text and its short grams as words. */
export function sqliteSearch(builder: Kysely<Tables>): SearchIndex {
  const put = statement(({ page, text, grams }: { page: string; text: string; grams: string }) => ({
    compile: () =>
      sql`INSERT INTO search_pages (number, text, grams) SELECT number, ${text}, ${grams} FROM pages WHERE id = ${page}
        ON CONFLICT (number) DO UPDATE SET text = excluded.text, grams = excluded.grams`.compile(builder),
  }));
  return {
    *put(page, text) {
      yield put.with({ page, text, grams: [...shortGrams(text)].join(' ') });
    },
  };
}
