import { foldForSearch, longGrams, shortGrams } from './search-grams.ts';
import { maxSearchedChars, type PageToIndex } from './search-index.ts';

/** The searchable text of a page, folded. A single character may fold to eighteen, so it may be longer than the original. */
export function foldedText({ title, givenTitle, text }: PageToIndex): string {
  return foldForSearch(`${title}\n${givenTitle}\n${text}`.slice(0, maxSearchedChars).toWellFormed());
}

/** For SQLite: the text for its trigram index, and the shorter grams as words. */
export function textAndGrams(page: PageToIndex): { text: string; grams: string } {
  const text = foldedText(page);
  return { text, grams: [...shortGrams(text)].join(' ') };
}

/** For PostgreSQL: all grams in the text form of an array, ready to send. */
export function gramsArray(page: PageToIndex): string {
  const folded = foldedText(page);
  const grams = new Set([...longGrams(folded), ...shortGrams(folded)]);
  return `{${Array.from(grams, quoteElement).join(',')}}`;
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function quoteElement(gram: string): string {
  return `"${gram.replace(/["\\]/g, '\\$&')}"`;
}
