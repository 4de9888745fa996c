import { type Kysely, sql } from 'kysely';
import { shortGrams } from './search-grams.ts';
import type { SearchIndex } from './search-index.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** One row a page; triggers carry it into two FTS5 tables, trigrams of the text and its short grams as words. */
export function sqliteSearch(builder: Kysely<Tables>): SearchIndex {
  const put = statement(({ page, text, grams }: { page: string; text: string; grams: string }) => ({
    compile: () =>
      sql`INSERT INTO search_pages (number, text, grams) SELECT number, ${text}, ${grams} FROM pages WHERE id = ${page}`.compile(
        builder,
      ),
  }));
  const drop = statement(({ page }: { page: string }) => ({
    compile: () => sql`DELETE FROM search_pages WHERE number = (SELECT number FROM pages WHERE id = ${page})`.compile(builder),
  }));
  // A search walks the index by these numbers from the end: what changed last is to be met first.
  const moveToEnd = statement(({ page }: { page: string }) => ({
    compile: () =>
      sql`UPDATE pages SET number = (SELECT max(number) + 1 FROM pages)
        WHERE id = ${page} AND number < (SELECT max(number) FROM pages)`.compile(builder),
  }));
  return {
    *put(page, text) {
      yield drop.with({ page });
      yield moveToEnd.with({ page });
      yield put.with({ page, text, grams: [...shortGrams(text)].join(' ') });
    },
  };
}
