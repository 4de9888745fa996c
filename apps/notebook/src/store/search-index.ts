import type { Steps } from './statement.ts';

/** What an engine's index keeps of a page. */
export interface IndexEntry {
  readonly page: string;
  readonly folded: string;
  readonly longGrams: ReadonlySet<string>;
  readonly shortGrams: ReadonlySet<string>;
}

/**
 * The text index of the pages of public notebooks. Writes only queue their pages (`queue-pages.ts`); `index-next-page.ts` brings the index up to the
 * queue. What is not public any more is found by nobody from that moment on, because a search looks at the notebooks themselves.
 */
export interface SearchIndex {
  /** False: it has no need of the set, and the work is saved. */
  readonly wantsLongGrams: boolean;
  /** True where taking a long text out takes as long as putting it in, or longer. */
  readonly dropsFirst: boolean;
  put(entry: IndexEntry): Steps<void>;
  drop(pageId: string): Steps<void>;
}

/** Beyond it a page is not searched: an index of a whole book in one page would cost too much. */
export const maxSearchedChars = 65_536;
