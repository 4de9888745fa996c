// The same date format as on pages the server renders (views/moment.tsx), in this device's time zone.
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const second = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const dateOf = (at: number | string) => new Date(at);

/** `18 November 2026`. @param at milliseconds since 1970 UTC, or RFC 3339 */
export function dayWords(at: number | string): string {
  return day.format(dateOf(at));
}

/** `14:03`. */
export function timeWords(at: number | string): string {
  return time.format(dateOf(at));
}

/** `18 November 2026 at 14:03`. */
export function momentWords(at: number | string): string {
  return `${dayWords(at)} at ${timeWords(at)}`;
}

/** `18 November 2026 at 14:03:27`, for lists where several fall in one minute. */
export function exactWords(at: number | string): string {
  return `${dayWords(at)} at ${second.format(dateOf(at))}`;
}
