import type { Notebook, PageHead } from '../../model/notebook.ts';

/** Records that strangers may find: notebooks that are public, without a password, not burn-after-read, not expired and not taken down. */
export interface PublicRecords {
  /**
   * Brings the text index up to one page of its queue, which writes only add to. Notebooks take turns.
   * @param afterNotebook whose turn was last; empty: nobody's
   * @param now in milliseconds since 1970
   * @returns whose turn it was now; undefined: nothing is queued that may be tried now
   * @throws DatabaseUnavailable; the page stays queued and is tried again later than others, as one that failed is
   */
  indexNextPage(afterNotebook: string, now: number): Promise<IndexTurn | undefined>;
  /**
   * The pages that hold every word of the query; those whose title does come first among the newest 200, then the newest come
   * first. Judged by the rows of their notebooks as they are now, not by what the index once took in. At most 1,200 pages are
   * looked at: `offset` and `limit` together reach no further.
   */
  searchPublic(search: PublicSearch): Promise<SearchHit[]>;
  /** Up to `limit` notebooks with the heads of their pages, in the order of their last change. One that changes at that moment may have none. */
  listPublic(list: PublicList): Promise<ListedNotebook[]>;
}

export interface IndexTurn {
  readonly notebookId: string;
  readonly failure?: IndexFailure;
}

/** A page that could not be indexed, for the operator. It is tried again after `waitMs`, and whenever it changes. */
export interface IndexFailure {
  readonly pageId: string;
  readonly tries: number;
  readonly waitMs: number;
  readonly error: unknown;
}

export interface PublicSearch {
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly now: number;
}

export interface SearchHit {
  readonly notebook: Notebook;
  readonly page: PageHead;
  /** The markdown as far as it is searched. */
  readonly text: string;
}

export interface PublicList {
  /** Oldest first misses nothing that changes while it is being walked: what changes moves to the end. */
  readonly order: 'oldest' | 'newest';
  /** Where the last batch ended; absent: from the start. */
  readonly after?: ListPlace | undefined;
  readonly limit: number;
  readonly now: number;
}

export type ListPlace = Pick<Notebook, 'updatedAt' | 'id'>;

export interface ListedNotebook {
  readonly notebook: Notebook;
  readonly pages: readonly PageHead[];
}
