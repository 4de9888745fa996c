import { type Kysely, sql } from 'kysely';
import { maxSearchedChars } from './search-index.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

export interface Queued {
  readonly number: number;
  readonly pageId: string;
  readonly notebookId: string;
}

/** A queued page as it should be found, beside what its notebook says. */
export interface PageToIndex {
  readonly title: string;
  readonly givenTitle: string;
  readonly revision: number;
  readonly text: string;
}

/** The queue of pages to index. */
export function queueStatements(builder: Kysely<Tables>, engine: 'sqlite' | 'postgres') {
  const next = builder
    .selectFrom('search_queue')
    .select(['number', 'page_id as pageId', 'notebook_id as notebookId'])
    .orderBy('notebook_id')
    .orderBy('number')
    .limit(1);
  const again = engine === 'sqlite' ? sql`OR REPLACE` : sql``;
  const renumbered =
    engine === 'sqlite'
      ? sql``
      : sql` ON CONFLICT (page_id) DO UPDATE SET number = nextval(pg_get_serial_sequence('search_queue', 'number'))`;
  const left = engine === 'sqlite' ? sql`substr` : sql`left`;
  const range = engine === 'sqlite' ? sql`1, ${sql.lit(maxSearchedChars)}` : sql.lit(maxSearchedChars);
  return {
    add: statement(({ page, notebook }: { page: string; notebook: string }) => ({
      compile: () =>
        sql`INSERT ${again} INTO search_queue (page_id, notebook_id) VALUES (${page}, ${notebook})${renumbered}`.compile(builder),
    })),
    addAll: statement(({ notebook }: { notebook: string }) => ({
      // WHERE true: without it SQLite could take the ON of a conflict for one of a join.
      compile: () =>
        sql`INSERT ${again} INTO search_queue (page_id, notebook_id)
          SELECT id, notebook_id FROM pages WHERE notebook_id = ${notebook} ORDER BY position${renumbered}`.compile(builder),
    })),
    /** Notebooks take turns: one with many pages does not keep the others waiting. */
    after: statement(({ notebook }: { notebook: string }) => next.where('notebook_id', '>', notebook)),
    first: statement((_: object) => next),
    page: statement(({ page }: { page: string }) =>
      builder
        .selectFrom('pages')
        .innerJoin('notebooks', 'notebooks.id', 'pages.notebook_id')
        .select(['notebooks.title', 'pages.given_title as givenTitle', 'pages.revision'])
        .select(sql<string>`${left}(pages.markdown, ${range})`.as('text'))
        .where('pages.id', '=', page)
        .where('notebooks.visibility', '=', 'public')
        .where('notebooks.taken_down_at', 'is', null),
    ),
    find: statement(({ page, number }: { page: string; number: number }) =>
      builder.selectFrom('search_queue').select('number').where('page_id', '=', page).where('number', '=', number),
    ),
    done: statement(({ page, number }: { page: string; number: number }) =>
      builder.deleteFrom('search_queue').where('page_id', '=', page).where('number', '=', number).returning('number'),
    ),
  };
}

export type QueueStatements = ReturnType<typeof queueStatements>;
