import type { PageFacts } from './rendered.ts';

/** So much text a description finds its words in. */
export const describedChars = 10_000;
/** So many characters describe a page. */
const descriptionChars = 180;

const wordsAMinute = 220;
/** Scripts without spaces are read by the sign. */
const signsAMinute = 450;
const sign = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;
const word = /[\p{L}\p{N}]+/gu;
/** The rest of a longer page is taken to be like its beginning: nobody needs the minute. */
export const countedChars = 200_000;

/** A text is shown as written when there is no time for more, and this is done by the thread that answers everybody. */
const plainChars = 4_000;

/** The facts of a text that is shown as it was written, by its beginning. */
export function plainFacts(markdown: string): PageFacts {
  const counted = markdown.slice(0, plainChars);
  return {
    description: shorten(counted),
    minutes: minutesFor(timeOf(counted), counted.length, markdown.length),
    slides: false,
  };
}

/** Minutes, not rounded. */
export function timeOf(text: string): number {
  const signs = text.match(sign)?.length ?? 0;
  const words = text.replace(sign, ' ').match(word)?.length ?? 0;
  return words / wordsAMinute + signs / signsAMinute;
}

/** Whole minutes, at least one. */
export function minutesFor(minutes: number, countedChars: number, allChars: number): number {
  return Math.max(1, Math.round(allChars === 0 ? 0 : (minutes * allChars) / countedChars));
}

export function shorten(words: string): string {
  const text = words.replace(/\s+/g, ' ').trim();
  if (text.length <= descriptionChars) return text;
  return `${text.slice(0, Math.max(0, text.lastIndexOf(' ', descriptionChars))) || text.slice(0, descriptionChars).toWellFormed()}…`;
}
