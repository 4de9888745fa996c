import type { SearchWord } from '../../model/search-text.ts';
import type { Query } from '../statement.ts';

/** What an engine's index found, as far as ranking needs it. */
export interface SearchCandidate {
  readonly pageId: string;
  readonly notebookTitle: string;
  readonly givenTitle: string;
  readonly heading: string;
  readonly updatedAt: number;
}

export interface CandidateBatch {
  readonly limit: number;
  readonly offset: number;
  readonly now: number;
}

/** How an engine asks its index (search-index.ts writes it). */
export interface SearchQueries {
  /** Listed pages that may hold all the words, the newest first. */
  candidates(words: readonly SearchWord[], batch: CandidateBatch): Query;
  /** The texts of those of them that are still listed, in any order. */
  texts(pageIds: readonly string[], now: number): Query;
  /** True when the index alone decides; else a candidate's text must be looked at. */
  decides(words: readonly SearchWord[]): boolean;
}

/** Words of one and two characters have grams of their own. */
export function isShort({ text }: SearchWord): boolean {
  return [...text].length < 3;
}
