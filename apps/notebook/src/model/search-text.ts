import { cutMarkRuns } from './mark-runs.ts';

/**
 * Characters that compatibility forms make more than four times as long: Arabic ligatures of whole words (U+FDFA: 18), squared words of
 * Japanese, parenthesized Korean. Only a text that is made for it holds many.
 */
const longForms = /[\ufdfa\ufdfb\u321d\u321e\u3300-\u3357\u337f\u33ae\u33af]/gu;
const mostLongForms = 256;

/** Stands for a letter that is left out (the geta mark of Japanese print): no part of a word, and as long, so that places stay in proportion. */
const geta = '\u3013';

/** Past so many in one text they are left out: their folded form would be up to 18 times the text. */
function dropManyLongForms(text: string): string {
  let seen = 0;
  return text.replace(longForms, form => (++seen > mostLongForms ? geta : form));
}

/** Text as the search compares it: one form of each character, lower case, without the accents of alphabets. */
export function foldForSearch(text: string): string {
  // Marks of alphabets only: taking the marks of Japanese or Korean would make other letters of theirs.
  const plain = dropManyLongForms(cutMarkRuns(text))
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '')
    .normalize('NFC')
    // The only letter whose lower case depends on its neighbours; a marked hit is folded without them.
    .replaceAll('ς', 'σ');
  return plain.replace(/\s+/gu, ' ');
}

/** Runs of scripts written without spaces between words: their words are found by single characters and pairs. */
export const unspacedRuns = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー々〆]+/gu;
export const wordRuns = /[\p{L}\p{N}\p{M}]+/gu;

/** One of the words that must all be there. */
export interface SearchWord {
  /** Folded. */
  readonly text: string;
  /** One or two letters of an alphabet count only as a word of their own; everything else is found anywhere. */
  readonly whole: boolean;
}

const wrapping = new Set('"\'“”„«»,;!?()');

/** Without the quotation marks and the like around it. */
function unwrap(typed: string): string {
  let [start, end] = [0, typed.length];
  while (start < end && wrapping.has(typed[start]!)) start++;
  while (end > start && wrapping.has(typed[end - 1]!)) end--;
  return typed.slice(start, end);
}

/** What a query asks for, each word once. None: there is nothing in it that could be found. */
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

/** Is the word in this folded text? */
export function holdsWord(folded: string, { text, whole }: SearchWord): boolean {
  if (!whole) return folded.includes(text);
  return folded.match(wordRuns)?.includes(text) ?? false;
}
