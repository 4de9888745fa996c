import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { sqliteDialect } from '../dialect.ts';
import { isBusy, sqliteFault } from '../sqlite/sqlite-errors.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { findQueued, pageToIndex } from './queue-statements.ts';
import { rebuildSearchFile, rebuildUnlessFitting } from './search-file.ts';
import type { Followed, SearchIndex } from './search-index.ts';
import { createSearchThread, type SearchRequest, type SearchThread } from './search-thread.ts';
import { sqliteSearchQueries } from './sqlite-search-query.ts';

/** For a second, the write lock is asked for again. */
const [openTries, openPauseMs] = [50, 20];
/** If the index needed rebuilding more often, the file would not be at fault. */
const minRebuildIntervalMs = 600_000;

/**
 * The index in its own file (search-file.ts): one thread writes it and another queries it, so that a search does not wait for a long page.
 */
export function sqliteSearch(builder: Kysely<Tables>, database: DatabaseSync, path: string): SearchIndex {
  const queries = sqliteSearchQueries(builder);
  if (path === ':memory:') return { queries, ...noIndex };
  const find = findQueued(builder);
  const page = pageToIndex(builder, sqliteDialect);
  const writer = createSearchThread({ path, niceness: 10 });
  const reader = createSearchThread({ path, niceness: 0 });
  const noteIn = statement(({ page }: { page: string }) => ({
    compile: () => sql`INSERT OR IGNORE INTO search_indexed (page_id) VALUES (${page})`.compile(builder),
  }));
  const noteOut = statement(({ page }: { page: string }) => ({
    compile: () => sql`DELETE FROM search_indexed WHERE page_id = ${page}`.compile(builder),
  }));
  const noteNumber = statement(({ number }: { number: number }) => ({
    compile: () => sql`UPDATE search_index SET followed = max(followed, ${number})`.compile(builder),
  }));
  let fits = false;
  let rebuiltAt = Number.NEGATIVE_INFINITY;

  async function ask<Result>(thread: SearchThread, request: SearchRequest): Promise<Result> {
    try {
      return (await thread.ask(request)) as Result;
    } catch (error) {
      const { lostIndex } = error as { lostIndex?: string };
      if (lostIndex === undefined) throw sqliteFault(error);
      if (performance.now() - rebuiltAt < minRebuildIntervalMs) throw new DatabaseUnavailable(error);
      rebuild(lostIndex);
      // Every page is queued by now; a search finds those that are indexed again.
      return request.kind === 'follow' ? ('late' as Result) : ask(thread, request);
    }
  }

  function rebuild(lostIndex: string): void {
    const before = rebuiltAt;
    rebuiltAt = performance.now();
    try {
      rebuildSearchFile(database, path, lostIndex);
    } catch (error) {
      // Another process was writing, and nothing was tried: the next request may try.
      if (isBusy(error)) rebuiltAt = before;
      throw sqliteFault(error);
    }
  }

  /** Waits for another process or thread that is writing: at the first start of a service, its jobs are. */
  async function open(): Promise<void> {
    for (let left = openTries; !fits; left -= 1) {
      try {
        rebuildUnlessFitting(database, path);
        fits = true;
      } catch (error) {
        if (!isBusy(error) || left === 0) throw sqliteFault(error);
        await pause(openPauseMs);
      }
    }
  }

  return {
    queries,
    open,
    follow({ pageId, number }, isSearched) {
      const text = isSearched ? page.with({ page: pageId }) : undefined;
      const request = { find: find.with({ page: pageId, number }), page: text };
      return ask<Followed>(writer, { kind: 'follow', pageId, number, ...request });
    },
    *note({ pageId, number }, followed) {
      yield (followed === 'in' ? noteIn : noteOut).with({ page: pageId });
      yield noteNumber.with({ number });
    },
    async read(query) {
      await open();
      return ask(reader, { kind: 'read', query });
    },
    async close() {
      await Promise.all([writer.close(), reader.close()]);
    },
  };
}

/** No thread but its own can see a database in memory. */
const noIndex: Omit<SearchIndex, 'queries'> = {
  open: async () => {},
  follow: async () => 'out',
  note: () => [],
  async read() {
    throw new DatabaseUnavailable(new Error('A database in memory has no text index.'));
  },
  close: async () => {},
};
