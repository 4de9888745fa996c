const dayMs = 86_400_000;

/** The moment when the calendar day of `now` began in a time zone: not always at midnight, and days have 23 to 25 hours. */
export function startOfDay(now: number, timezone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, dateStyle: 'short' });
  const today = format.format(now);
  // Searches for the first moment with today's date. Two days earlier, the date is certainly another one.
  let [other, same] = [now - 2 * dayMs, now];
  while (same - other > 1) {
    const middle = Math.floor((other + same) / 2);
    if (format.format(middle) === today) same = middle;
    else other = middle;
  }
  return same;
}
