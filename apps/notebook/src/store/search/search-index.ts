import type { Query } from '../statement.ts';
import type { SearchQueries } from './search-query.ts';

/** A page in the queue with its number; queued again, a page gets a new number. */
export interface Queued {
  readonly number: number;
  readonly pageId: string;
  readonly notebookId: string;
}

/** The searchable fields of a queued page, apart from those of its notebook. */
export interface PageToIndex {
  readonly title: string;
  readonly givenTitle: string;
  readonly text: string;
  readonly updatedAt: number;
}

/** `out`: the page is no longer in the index, or never was. `late`: it was queued again meanwhile, and nothing was done. */
export type Followed = 'in' | 'out' | 'late';

/**
 * The text index of the pages of public notebooks. Writes only queue their pages (`queue-pages.ts`); `index-next-page.ts` brings the index
 * up to date with the queue. A notebook that is no longer public is not found from that moment on, because a search checks the notebooks
 * themselves.
 */
export interface SearchIndex {
  readonly queries: SearchQueries;
  /** Called before a process's first turn: an index that does not fit the database is rebuilt, and every public page queued. */
  open(): Promise<void>;
  /**
   * Adds the page to the index as it is now, or removes it when it is not public or not to be searched. Committed when it resolves. The
   * page is still in the queue then, so a crash loses nothing and doing it twice changes nothing. However long the text, it blocks neither
   * the event loop nor a lock that a write waits for.
   */
  follow(queued: Queued, isSearched: boolean): Promise<Followed>;
  /** The database's record of it, in the transaction that takes the page off the queue. */
  note(queued: Queued, followed: 'in' | 'out'): Iterable<Query>;
  /** The rows of one of the index's queries. */
  read<Row>(query: Query): Promise<Row[]>;
  close(): Promise<void>;
}

/** Text beyond this is not searched: an index of a whole book in one page would cost too much. */
export const maxSearchedChars = 65_536;
