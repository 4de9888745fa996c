// The same date format as on pages the server renders (views/moment.tsx), in this device's time zone.
// Each is made when it is first needed: the first one loads the locale's data, which takes a phone up to a fifth of a second.
const made = new Map<string, Intl.DateTimeFormat>();

function format(at: number | string, options: Intl.DateTimeFormatOptions): string {
  const name = Object.values(options).join();
  const words = made.get(name) ?? new Intl.DateTimeFormat('en-GB', options);
  made.set(name, words);
  return words.format(new Date(at));
}

/** `18 November 2026`. @param at milliseconds since 1970 UTC, or RFC 3339 */
export function dayWords(at: number | string): string {
  return format(at, { dateStyle: 'long' });
}

/** `14:03`. */
export function timeWords(at: number | string): string {
  return format(at, { timeStyle: 'short' });
}

/** `18 November 2026 at 14:03`. */
export function momentWords(at: number | string): string {
  return `${dayWords(at)} at ${timeWords(at)}`;
}

/** `18 November 2026 at 14:03:27`, for lists where several fall in one minute. */
export function exactWords(at: number | string): string {
  return `${dayWords(at)} at ${format(at, { timeStyle: 'medium' })}`;
}
