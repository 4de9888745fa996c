import { momentWords, timeWords } from './date-words.ts';

/** Says when the one reader opened it: "Opened at 14:03" today, with the date later. @param openedAt RFC 3339 */
export function openedWords(openedAt: string, now = Date.now()): string {
  const at = new Date(openedAt);
  const isToday = at.toDateString() === new Date(now).toDateString();
  return isToday ? `Opened at ${timeWords(openedAt)}.` : `Opened on ${momentWords(openedAt)}.`;
}
