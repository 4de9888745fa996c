/** In longer texts words are counted by spaces alone, because the segmenter takes a second for a megabyte. */
const segmentedChars = 100_000;

export interface TextCount {
  readonly words: number;
  /** Counted in code points. */
  readonly characters: number;
}

/** Counts words by the rules of the text's language: Chinese, Japanese and Thai write no spaces. */
export function countText(text: string): TextCount {
  let characters = 0;
  for (const _ of text) characters += 1;
  if (text.length > segmentedChars) return { words: text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0, characters };
  let words = 0;
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) if (isWordLike) words += 1;
  return { words, characters };
}
