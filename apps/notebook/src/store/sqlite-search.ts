import { type Kysely, sql } from 'kysely';
import type { SearchIndex } from './search-index.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** One row a page; triggers carry it into two FTS5 tables, trigrams of the text and its short grams as words. */
export function sqliteSearch(builder: Kysely<Tables>): SearchIndex {
  const put = statement(({ page, text, grams }: { page: string; text: string; grams: string }) => ({
    compile: () => sql`INSERT INTO search_pages (page_id, text, grams) VALUES (${page}, ${text}, ${grams})`.compile(builder),
  }));
  const drop = statement(({ page }: { page: string }) => ({
    compile: () => sql`DELETE FROM search_pages WHERE page_id = ${page}`.compile(builder),
  }));
  return {
    wantsLongGrams: false,
    dropsFirst: true,
    *put({ page, folded, shortGrams }) {
      yield drop.with({ page });
      yield put.with({ page, text: folded, grams: [...shortGrams].join(' ') });
    },
    *drop(page) {
      yield drop.with({ page });
    },
  };
}
