import { type Kysely, sql } from 'kysely';
import { postgresDialect } from '../dialect.ts';
import type { Engine } from '../engine.ts';
import { type Query, type Steps, statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { postgresSearchQueries } from './postgres-search-query.ts';
import { findQueued, pageToIndex } from './queue-statements.ts';
import type { Followed, Queued, SearchIndex } from './search-index.ts';
import { createSearchThread } from './search-thread.ts';

/** Rolls back a change that was superseded while it was under way. */
class QueuedAgain extends Error {}

/** One array of grams per page under a GIN index. This needs no extension, and no locale decides what counts as a letter. */
export function postgresSearch(builder: Kysely<Tables>, { read, write }: Pick<Engine, 'read' | 'write'>): SearchIndex {
  const thread = createSearchThread({ path: '', niceness: 10 });
  const find = findQueued(builder);
  const page = pageToIndex(builder, postgresDialect);
  const put = statement(({ page, grams }: { page: string; grams: string }) => ({
    compile: () =>
      sql`INSERT INTO search_pages (page_id, grams) VALUES (${page}, CAST(CAST(${grams} AS text) AS text[]))
        ON CONFLICT (page_id) DO UPDATE SET grams = excluded.grams`.compile(builder),
  }));
  const drop = statement(({ page }: { page: string }) => ({
    compile: () => sql`DELETE FROM search_pages WHERE page_id = ${page}`.compile(builder),
  }));

  /**
   * Locks only the index row. The queue is read once that lock is held: a text that is queued after that is indexed after us, so an older
   * text never replaces a newer one.
   */
  function* change({ pageId, number }: Queued, query: Query): Steps<void> {
    yield query;
    const waiting = (yield find.with({ page: pageId, number })) as unknown[];
    if (waiting.length === 0) throw new QueuedAgain();
  }

  return {
    queries: postgresSearchQueries(builder),
    open: async () => {},
    async follow(queued, isSearched): Promise<Followed> {
      const [found] = isSearched ? await read(page, { page: queued.pageId }) : [];
      const query = found
        ? put.with({ page: queued.pageId, grams: (await thread.ask({ kind: 'grams', page: found })) as string })
        : drop.with({ page: queued.pageId });
      try {
        await write(() => change(queued, query));
        return found ? 'in' : 'out';
      } catch (error) {
        if (error instanceof QueuedAgain) return 'late';
        throw error;
      }
    },
    // The row in `search_pages` already says it.
    note: () => [],
    read: query => read({ sql: query.sql, with: () => query }, undefined),
    close: () => thread.close(),
  };
}
