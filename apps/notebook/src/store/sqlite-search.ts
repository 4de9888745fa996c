import { type Kysely, sql } from 'kysely';
import { shortGrams } from './search-grams.ts';
import type { SearchIndex } from './search-index.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** Two FTS5 tables (trigrams, and short grams as words), both without content: the rowid is the page's number. */
export function sqliteSearch(builder: Kysely<Tables>): SearchIndex {
  const number = (id: string) => sql`(SELECT number FROM pages WHERE id = ${id})`;
  const compile = <Args extends object>(build: (given: Args) => ReturnType<typeof sql>) =>
    statement((given: Args) => ({ compile: () => build(given).compile(builder) }));
  const dropText = compile(({ page }: { page: string }) => sql`DELETE FROM search_text WHERE rowid = ${number(page)}`);
  const dropShort = compile(({ page }: { page: string }) => sql`DELETE FROM search_short WHERE rowid = ${number(page)}`);
  const putText = compile(
    ({ page, text }: { page: string; text: string }) =>
      sql`INSERT INTO search_text (rowid, text) VALUES (${number(page)}, ${text})`,
  );
  const putShort = compile(
    ({ page, grams }: { page: string; grams: string }) =>
      sql`INSERT INTO search_short (rowid, grams) VALUES (${number(page)}, ${grams})`,
  );
  return {
    *put(page, folded) {
      yield dropText.with({ page });
      yield dropShort.with({ page });
      yield putText.with({ page, text: folded });
      yield putShort.with({ page, grams: [...shortGrams(folded)].join(' ') });
    },
  };
}
