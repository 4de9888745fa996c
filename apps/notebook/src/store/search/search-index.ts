import type { Query } from '../statement.ts';
import type { SearchQueries } from './search-query.ts';

/** A page in the queue, with the number of its turn: a page that is queued again gets another one. */
export interface Queued {
  readonly number: number;
  readonly pageId: string;
  readonly notebookId: string;
}

/** A queued page as it should be found, beside what its notebook says. */
export interface PageToIndex {
  readonly title: string;
  readonly givenTitle: string;
  readonly text: string;
  readonly updatedAt: number;
}

/** `out`: it is in the index no longer, or never was. `late`: it was queued again meanwhile, and nothing was done. */
export type Followed = 'in' | 'out' | 'late';

/**
 * The text index of the pages of public notebooks. Writes only queue their pages (`queue-pages.ts`); `index-next-page.ts` brings the index up to the
 * queue. What is not public any more is found by nobody from that moment on, because a search looks at the notebooks themselves.
 */
export interface SearchIndex {
  readonly queries: SearchQueries;
  /** Before the first turn of a process: an index that does not fit the database is made anew, and every public page queued. */
  open(): Promise<void>;
  /**
   * Takes the page into the index as it is now, or out of it when it is not public now or not to be searched. Committed when it resolves; the page is still
   * in the queue then, so that a crash loses nothing and doing it twice changes nothing. Holds neither the event loop nor a lock that a
   * write waits for, however long the text.
   */
  follow(queued: Queued, isSearched: boolean): Promise<Followed>;
  /** What the database keeps of it, in the transaction that takes the page off the queue. */
  note(queued: Queued, followed: 'in' | 'out'): Iterable<Query>;
  /** The rows of one of its queries. */
  read<Row>(query: Query): Promise<Row[]>;
  close(): Promise<void>;
}

/** Beyond it a page is not searched: an index of a whole book in one page would cost too much. */
export const maxSearchedChars = 65_536;
