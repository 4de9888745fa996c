import type { Notebook, PageHead } from '../../model/notebook.ts';

/** Records that strangers may find: notebooks that are public, without a password, not burn-after-read, not expired and not taken down. */
export interface PublicRecords {
  /**
   * Brings the text index up to date for one page of its queue, which writes only add to. Notebooks take turns.
   * @param afterNotebook the notebook of the previous turn; empty: none
   * @param now in milliseconds since 1970
   * @returns the turn's notebook; undefined: nothing is queued that may be tried now
   * @throws DatabaseUnavailable; like any page that failed, this one stays queued and is tried again after the others
   */
  indexNextPage(afterNotebook: string, now: number): Promise<IndexTurn | undefined>;
  /**
   * The pages that contain every word of the query. Among the newest 200, those whose title contains them come first; after that, the
   * newest come first. The notebooks' current rows decide which pages count, not what the index once took in. At most 1,200 pages are
   * searched: `offset` and `limit` together reach no further.
   */
  searchPublic(search: PublicSearch): Promise<SearchHit[]>;
  /**
   * Up to `limit` notebooks with their page heads, ordered by last change. A notebook that changes at that moment may come without heads.
   */
  listPublic(list: PublicList): Promise<ListedNotebook[]>;
}

export interface IndexTurn {
  readonly notebookId: string;
  readonly failure?: IndexFailure;
}

/** A page that could not be indexed, reported to the operator. It is tried again after `waitMs`, and whenever it changes. */
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
  /** The searchable part of the markdown. */
  readonly text: string;
}

export interface PublicList {
  /** Oldest first misses no change during the walk: a notebook that changes moves to the end. */
  readonly order: 'oldest' | 'newest';
  /** The end of the last batch; absent: start from the beginning. */
  readonly after?: ListPlace | undefined;
  readonly limit: number;
  readonly now: number;
}

export type ListPlace = Pick<Notebook, 'updatedAt' | 'id'>;

export interface ListedNotebook {
  readonly notebook: Notebook;
  readonly pages: readonly PageHead[];
}
