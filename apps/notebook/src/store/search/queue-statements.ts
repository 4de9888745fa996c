import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { type Statement, statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { maxSearchedChars, type PageToIndex } from './search-index.ts';

/** The longest wait before a page is tried again, even when the clock was wrong at the failure. */
export const longestWaitMs = 600_000;

interface Turn {
  readonly notebook: string;
  readonly now: number;
}

interface Postponed {
  readonly page: string;
  readonly number: number;
  readonly until: number;
}

/** The queue of pages to index. */
export function queueStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const { or, onConflict } = dialect.requeue;
  const next = (now: number) =>
    builder
      .selectFrom('search_queue')
      .select(['number', 'page_id as pageId', 'notebook_id as notebookId', 'tries'])
      .where(sql<boolean>`(not_before <= ${now} OR not_before - ${sql.lit(longestWaitMs)} > ${now})`)
      .orderBy('notebook_id')
      .orderBy('number')
      .limit(1);
  return {
    add: statement(({ page, notebook }: { page: string; notebook: string }) => ({
      compile: () =>
        sql`INSERT ${or} INTO search_queue (page_id, notebook_id) VALUES (${page}, ${notebook})${onConflict}`.compile(builder),
    })),
    addAll: statement(({ notebook }: { notebook: string }) => ({
      // Without WHERE true, SQLite could read the ON of ON CONFLICT as that of a join.
      compile: () =>
        sql`INSERT ${or} INTO search_queue (page_id, notebook_id)
          SELECT id, notebook_id FROM pages WHERE notebook_id = ${notebook} ORDER BY position${onConflict}`.compile(builder),
    })),
    /** Notebooks take turns: one with many pages does not keep the others waiting. */
    after: statement(({ notebook, now }: Turn) => next(now).where('notebook_id', '>', notebook)),
    first: statement(({ now }: Turn) => next(now)),
    /** Returns no row when the page was queued again or is done. */
    find: findQueued(builder),
    page: pageToIndex(builder, dialect),
    revision: statement(({ page }: { page: string }) => builder.selectFrom('pages').select('revision').where('id', '=', page)),
    postpone: statement(({ page, number, until }: Postponed) =>
      builder
        .updateTable('search_queue')
        .set({ not_before: until, tries: sql<number>`tries + 1` })
        .where('page_id', '=', page)
        .where('number', '=', number),
    ),
    done: statement(({ page, number }: { page: string; number: number }) =>
      builder.deleteFrom('search_queue').where('page_id', '=', page).where('number', '=', number).returning('number'),
    ),
  };
}

export type QueueStatements = ReturnType<typeof queueStatements>;

export function findQueued(builder: Kysely<Tables>): Statement<{ page: string; number: number }, { number: number }> {
  return statement(({ page, number }: { page: string; number: number }) =>
    builder.selectFrom('search_queue').select('number').where('page_id', '=', page).where('number', '=', number),
  );
}

/** Returns no row when the page is not public or gone. */
export function pageToIndex(builder: Kysely<Tables>, dialect: Dialect): Statement<{ page: string }, PageToIndex> {
  return statement(({ page }: { page: string }) =>
    builder
      .selectFrom('pages')
      .innerJoin('notebooks', 'notebooks.id', 'pages.notebook_id')
      .select(['notebooks.title', 'pages.given_title as givenTitle', 'pages.updated_at as updatedAt'])
      .select(dialect.firstChars(sql`pages.markdown`, maxSearchedChars).as('text'))
      .where('pages.id', '=', page)
      .where('notebooks.visibility', '=', 'public')
      .where('notebooks.taken_down_at', 'is', null),
  );
}
