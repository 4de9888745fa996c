import { textStart } from '../model/text-start.ts';
import type { PageFacts } from './rendered.ts';

/** How much text is used for a description. */
export const describedChars = 10_000;
/** The length of a description. */
const descriptionChars = 180;

const wordsAMinute = 220;
/** In scripts without spaces, characters are counted instead of words. */
const signsAMinute = 450;
const sign = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;
const word = /[\p{L}\p{N}]+/gu;
/** A longer page's reading time is estimated from this much of its start; nobody needs the exact minute. */
export const countedChars = 200_000;

/** Kept small, because this runs on the main thread, at a moment when there is no time for rendering. */
const plainChars = 4_000;

/** The facts of a text that is shown as written, taken from its start. */
export function plainFacts(markdown: string): PageFacts {
  const counted = markdown.slice(0, plainChars);
  return {
    description: shorten(counted),
    minutes: minutesFor(timeOf(counted), counted.length, markdown.length),
    slides: false,
  };
}

/** Reading time in minutes, not rounded. */
export function timeOf(text: string): number {
  const signs = text.match(sign)?.length ?? 0;
  const words = text.replace(sign, ' ').match(word)?.length ?? 0;
  return words / wordsAMinute + signs / signsAMinute;
}

/** Reading time in whole minutes, at least one. */
export function minutesFor(minutes: number, countedChars: number, allChars: number): number {
  return Math.max(1, Math.round(allChars === 0 ? 0 : (minutes * allChars) / countedChars));
}

export function shorten(words: string): string {
  const text = words.replace(/\s+/g, ' ').trim();
  if (text.length <= descriptionChars) return text;
  return `${text.slice(0, Math.max(0, text.lastIndexOf(' ', descriptionChars))) || textStart(text, descriptionChars)}…`;
}
