import { type Kysely, sql } from 'kysely';
import { headColumns, isListedNow } from '../notebooks/listed-rows.ts';
import { notebookColumns } from '../notebooks/notebook-statements.ts';
import { query, statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { longGrams } from './search-grams.ts';
import { maxSearchedChars } from './search-index.ts';
import { isShort, type SearchQueries } from './search-query.ts';

/** Searches by grams. A page that holds all grams of a longer word may hold them in another order, so its text must be checked. */
export function postgresSearchQueries(builder: Kysely<Tables>): SearchQueries {
  const texts = statement(({ ids, now }: { ids: readonly string[]; now: number }) =>
    builder
      .selectFrom('notebooks')
      .innerJoin('pages', 'pages.notebook_id', 'notebooks.id')
      .select(notebookColumns)
      .select(headColumns)
      .select(sql<string>`left(pages.markdown, ${sql.lit(maxSearchedChars)})`.as('text'))
      .where(sql<boolean>`pages.id = ANY(${ids})`)
      .where(isListedNow(now)),
  );
  return {
    decides: words => words.every(({ text }) => [...text].length <= 3),
    candidates(words, { limit, offset, now }) {
      const grams = words.flatMap(word => (isShort(word) ? [word.text] : [...longGrams(word.text)]));
      const found = builder
        .selectFrom('notebooks')
        .innerJoin('pages', 'pages.notebook_id', 'notebooks.id')
        .select(['pages.id as pageId', 'notebooks.title as notebookTitle', 'pages.given_title as givenTitle', 'pages.heading'])
        .select('pages.updated_at as updatedAt')
        .where(sql<boolean>`pages.id IN (SELECT page_id FROM search_pages WHERE grams @> ${[...new Set(grams)]})`)
        .where(isListedNow(now))
        .orderBy('notebooks.updated_at', 'desc')
        .orderBy('pages.updated_at', 'desc')
        .orderBy('pages.id')
        .limit(limit)
        .offset(offset);
      // Not a prepared statement: how common the words are decides which plan is best.
      return query(found);
    },
    texts: (pageIds, now) => texts.with({ ids: pageIds, now }),
  };
}
