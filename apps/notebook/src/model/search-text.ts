import { cutMarkRuns } from './mark-runs.ts';

/**
 * Characters whose compatibility form is more than four times as long: Arabic ligatures of whole words (U+FDFA: 18), squared Japanese
 * words, parenthesized Korean. Only a text that was made for that contains many.
 */
const longForms = /[\ufdfa\ufdfb\u321d\u321e\u3300-\u3357\u337f\u33ae\u33af]/gu;
const maxLongForms = 256;

/**
 * Replaces a letter that is left out (the geta mark of Japanese print). It is not part of a word and has the same length, so positions stay
 * in proportion.
 */
const geta = '\u3013';

/** Characters beyond this number are left out: their folded form would be up to 18 times as long as the text. */
function dropManyLongForms(text: string): string {
  let seen = 0;
  return text.replace(longForms, form => (++seen > maxLongForms ? geta : form));
}

/**
 * Arabic as its readers search for it, in the forms of Lucene's ArabicNormalizer: without vowel signs and lengthened lines, and one letter
 * each for the kinds of alef, for heh and teh marbuta, and for yeh with and without dots. Takes decomposed text.
 */
function foldArabic(text: string): string {
  if (!/[\u0620-\u0655]/.test(text)) return text;
  return (
    text
      .replace(/[\u064b-\u0652]/g, '')
      .replace(/\u0627[\u0653-\u0655]+/g, '\u0627')
      // With its marks: they must not join the letter before it.
      .replace(/\u0640\p{M}*/gu, '')
      .replaceAll('\u0629', '\u0647')
      .replaceAll('\u0649', '\u064a')
  );
}

/** Text as search compares it: one form of each character, lower case, without the accents of alphabets. */
export function foldForSearch(text: string): string {
  // Removes only the marks of alphabets: without its marks, a Japanese or Korean letter would be another letter.
  const letters = dropManyLongForms(cutMarkRuns(text))
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '');
  const plain = foldArabic(letters)
    .normalize('NFC')
    // The only letter whose lower case depends on its neighbors; a hit is marked by folding without them.
    .replaceAll('ς', 'σ');
  return plain.replace(/\s+/gu, ' ');
}

/** Runs of scripts written without spaces between words: their words are found by single characters and pairs. */
export const unspacedRuns = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー々〆]+/gu;
export const wordRuns = /[\p{L}\p{N}\p{M}]+/gu;

/** One of the words that a page must contain. */
export interface SearchWord {
  /** Folded. */
  readonly text: string;
  /** One or two letters of an alphabet match only as a whole word; everything else matches anywhere. */
  readonly whole: boolean;
}

const wrapping = new Set('"\'“”„«»,;!?()');

/** Removes quotation marks and the like around it. */
function unwrap(typed: string): string {
  let [start, end] = [0, typed.length];
  while (start < end && wrapping.has(typed[start]!)) start++;
  while (end > start && wrapping.has(typed[end - 1]!)) end--;
  return typed.slice(start, end);
}

/** The words of a query, each once. Empty when the query contains nothing that could be found. */
export function readSearchWords(query: string): SearchWord[] {
  const words = new Map<string, SearchWord>();
  for (const typed of foldForSearch(query).split(' ')) {
    for (const word of readWord(unwrap(typed))) words.set(word.text, word);
  }
  return [...words.values()];
}

function readWord(text: string): SearchWord[] {
  const [unspaced = ''] = text.match(unspacedRuns) ?? [];
  if ([...text].length > 2 || (text !== '' && unspaced === text)) return [{ text, whole: false }];
  return (text.match(wordRuns) ?? []).map(run => ({ text: run, whole: true }));
}

/** Whether the word is in this folded text. */
export function holdsWord(folded: string, { text, whole }: SearchWord): boolean {
  if (!whole) return folded.includes(text);
  return folded.match(wordRuns)?.includes(text) ?? false;
}
