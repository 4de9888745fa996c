import { diffLines, diffWordsWithSpace } from 'diff';

export interface DiffPart {
  readonly text: string;
  /** `gone` is only in the earlier text, `new` only in the present one. */
  readonly kind: 'same' | 'gone' | 'new';
}

/** After this time a comparison by words would block the page, so lines are compared instead. */
const wordMillis = 300;
const lineMillis = 700;

/** Compares two texts word by word, or line by line if that takes too long. Undefined when even that does. */
export function compareTexts(earlier: string, present: string): DiffPart[] | undefined {
  const parts =
    diffWordsWithSpace(earlier, present, { timeout: wordMillis }) ?? diffLines(earlier, present, { timeout: lineMillis });
  return parts?.map(({ value, added, removed }) => ({ text: value, kind: added ? 'new' : removed ? 'gone' : 'same' }));
}
