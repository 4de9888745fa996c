import { type Kysely, sql } from 'kysely';
import { headColumns, isListedNow } from '../notebooks/listed-rows.ts';
import { notebookColumns } from '../notebooks/notebook-statements.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { maxSearchedChars } from './search-index.ts';
import { isShort, type SearchQueries } from './search-query.ts';

interface Args {
  readonly long: string;
  readonly short: string;
  readonly limit: number;
  readonly offset: number;
  readonly now: number;
}

/** Quoted, so that nothing in a word acts as an operator; side by side, so that all must match. */
const matching = (words: readonly { text: string }[]) => words.map(({ text }) => `"${text.replaceAll('"', '""')}"`).join(' ');

/**
 * For a connection that has the database and its index open (sqlite-search-reader.ts). A trigram phrase matches exactly where its
 * characters are adjacent: the index decides alone.
 */
export function sqliteSearchQueries(builder: Kysely<Tables>): SearchQueries {
  // CROSS JOIN makes SQLite walk the index from the newest page, and only up to the limit.
  const ask = (table: string, condition: (given: Args) => ReturnType<typeof sql>) =>
    statement((given: Args) => ({
      compile: () =>
        sql`SELECT pages.id AS "pageId", notebooks.title AS "notebookTitle", pages.given_title AS "givenTitle", pages.heading,
            pages.updated_at AS "updatedAt"
          FROM ${sql.table(table)} AS found CROSS JOIN search_pages ON search_pages.number = found.rowid
            CROSS JOIN pages ON pages.id = search_pages.page_id CROSS JOIN notebooks ON notebooks.id = pages.notebook_id
          WHERE ${condition(given)} AND ${isListedNow(given.now)}
          ORDER BY found.rowid DESC LIMIT ${given.limit} OFFSET ${given.offset}`.compile(builder),
    }));
  const long = ask('search_text', given => sql`search_text MATCH ${given.long}`);
  const short = ask('search_short', given => sql`search_short MATCH ${given.short}`);
  // The plus keeps SQLite from querying the first table again for every row of the second.
  const both = ask(
    'search_text',
    given =>
      sql`search_text MATCH ${given.long} AND +found.rowid IN (SELECT rowid FROM search_short WHERE search_short MATCH ${given.short})`,
  );
  const texts = statement(({ ids, now }: { ids: string; now: number }) =>
    builder
      .selectFrom('notebooks')
      .innerJoin('pages', 'pages.notebook_id', 'notebooks.id')
      .select(notebookColumns)
      .select(headColumns)
      .select(sql<string>`substr(pages.markdown, 1, ${sql.lit(maxSearchedChars)})`.as('text'))
      .where(sql<boolean>`pages.id IN (SELECT value FROM json_each(${ids}))`)
      .where(isListedNow(now)),
  );
  return {
    decides: () => true,
    candidates(words, batch) {
      const given = { long: matching(words.filter(word => !isShort(word))), short: matching(words.filter(isShort)), ...batch };
      if (given.short === '') return long.with(given);
      return given.long === '' ? short.with(given) : both.with(given);
    },
    texts: (pageIds, now) => texts.with({ ids: JSON.stringify(pageIds), now }),
  };
}
