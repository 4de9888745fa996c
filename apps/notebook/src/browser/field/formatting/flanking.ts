const letter = /^[^\s\p{P}\p{S}]/u;
const point = /^[\p{P}\p{S}]/u;

/** The last sign, which may be two characters. Some browsers do not find such a sign at the end with `$`. */
const lastOf = (text: string): string => [...text.slice(-2)].at(-1) ?? '';

/**
 * Between punctuation and a letter Markdown reads marks as plain signs (CommonMark §6.2), most of all in languages written without spaces:
 * `**注意：**本文`.
 * @param before ends with what is before the words
 * @param after begins with what is behind them
 */
export function takesMarks(words: string, before: string, after: string): boolean {
  const opens = !(point.test(words) && letter.test(lastOf(before)));
  return opens && !(point.test(lastOf(words)) && letter.test(after));
}

/** Whether a letter touches the words, in whatever script: `_` marks nothing there. */
export const touchesLetter = (before: string, after: string): boolean => letter.test(lastOf(before)) || letter.test(after);

/** Punctuation that is no sign of Markdown: it may stay outside of marks without breaking a link or other marks. */
const pointed = /[\s\p{P}]/u;
const signs = /[!-/:-@[-`{-~]/;
const isOuter = (character: string, harmless: string): boolean =>
  pointed.test(character) && (!signs.test(character) || harmless.includes(character));

/** How many characters of the words are punctuation at their start and at their end. */
export function outerPunctuation(words: string): { readonly before: number; readonly after: number } {
  let [start, end] = [0, words.length];
  while (start < end && isOuter(words[start]!, '.,;:?\'"-')) start += 1;
  while (end > start && isOuter(words[end - 1]!, '.,;:?!\'"-')) end -= 1;
  return { before: start, after: words.length - end };
}
