import type { SearchWord } from '../../model/search-text.ts';
import type { Query } from '../statement.ts';

/** A result of an engine's index, as far as ranking needs it. */
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

/** How an engine queries its index (search-index.ts writes it). */
export interface SearchQueries {
  /** Listed pages that may contain all the words, newest first. */
  candidates(words: readonly SearchWord[], batch: CandidateBatch): Query;
  /** The texts of those that are still listed, in any order. */
  texts(pageIds: readonly string[], now: number): Query;
  /** True when the index alone decides; otherwise a candidate's text must be checked. */
  decides(words: readonly SearchWord[]): boolean;
}

/** Words of one or two characters have their own grams. */
export function isShort({ text }: SearchWord): boolean {
  return [...text].length < 3;
}
