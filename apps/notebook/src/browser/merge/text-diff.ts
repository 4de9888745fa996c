import { diffLines, diffWordsWithSpace } from 'diff';

export interface DiffPart {
  readonly text: string;
  /** `gone`: only in the earlier text; `new`: only in the present one. */
  readonly kind: 'same' | 'gone' | 'new';
}

/** Past this, comparing word by word would hold up the page; lines are compared instead. */
const wordMillis = 300;
const lineMillis = 700;

/** What changed between two texts, word by word, or line by line where that takes too long; undefined when even that does. */
export function compareTexts(earlier: string, present: string): DiffPart[] | undefined {
  const parts =
    diffWordsWithSpace(earlier, present, { timeout: wordMillis }) ?? diffLines(earlier, present, { timeout: lineMillis });
  return parts?.map(({ value, added, removed }) => ({ text: value, kind: added ? 'new' : removed ? 'gone' : 'same' }));
}
