/** Beyond so many characters words are counted by their spaces alone: the segmenter takes a second for a megabyte. */
const segmentedChars = 100_000;

export interface TextCount {
  readonly words: number;
  /** As a reader sees them: code points. */
  readonly characters: number;
}

/** Words as the text's own language has them: Chinese, Japanese and Thai write no spaces. */
export function countText(text: string): TextCount {
  let characters = 0;
  for (const _ of text) characters += 1;
  if (text.length > segmentedChars) return { words: text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0, characters };
  let words = 0;
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) if (isWordLike) words += 1;
  return { words, characters };
}
