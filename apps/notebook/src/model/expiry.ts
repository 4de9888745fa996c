import { limits } from '../limits.ts';

export const durations = {
  '1h': 3_600_000,
  '1d': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  '90d': 7_776_000_000,
  '1y': 31_536_000_000,
} as const;
export type Duration = keyof typeof durations;

export const graceMs = limits.graceDays * 86_400_000;

/** The absolute time when it expires, computed once (spec 1 §2 "expiry"): not a running counter. */
export function expiryAfter(duration: Duration, now: number): number {
  return now + durations[duration];
}

/** RFC 3339 writes years with four digits. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Reads an RFC 3339 time with a zone, years 1970 to 9999; undefined for anything else. */
export function readTimestamp(text: string): number | undefined {
  const match =
    /^(\d{4})-(\d{2})-(\d{2})[Tt ](?:[01]\d|2[0-3]):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  const inMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > inMonth) return undefined;
  const time = Date.parse(text.replace(' ', 'T').toUpperCase());
  return time >= 0 && time <= lastTime ? time : undefined;
}

/** True from that exact millisecond on. */
export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

/** Past the 3 days in which the owner may still postpone the expiry. */
export function isPastGrace(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && now >= expiresAt + graceMs;
}
