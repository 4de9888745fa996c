const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

/** When the one reader opened it: "Opened at 14:03" today, with its day later. @param openedAt RFC 3339 */
export function openedWords(openedAt: string, now = Date.now()): string {
  const at = new Date(openedAt);
  const isToday = at.toDateString() === new Date(now).toDateString();
  return isToday ? `Opened at ${time.format(at)}.` : `Opened on ${day.format(at)} at ${time.format(at)}.`;
}
