import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../limits.ts';
import { startOfDay } from '../model/calendar-day.ts';
import { graceMs } from '../model/expiry.ts';
import type { PurgeCounts, PurgeDue } from '../store/store.ts';
import type { Needs } from './parts.ts';

const dayMs = 86_400_000;

/**
 * Deleting holds SQLite's one lock for writing, and 10,000 notebooks at once would be many seconds without a save for anybody: so at most
 * 20 at a time, and fewer where they are slow to delete (one of three searchable pages takes 5 to 10 ms, an unlisted one half of one).
 */
const notebooksAtOnce = { first: 5, most: 20 };
const rowsAtOnce = { first: 100, most: 500 };
const portionMs = 25;
/** A server's transactions hold only the rows that they delete. */
const serverPortionMs = 200;
const longestPauseMs = 100;

export interface PurgeOptions {
  /** The time zone of "the next day". */
  readonly timezone: string;
  /** Counts and deletes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

type PurgeParts = Needs<'store' | 'now'>;

/**
 * The daily purge (spec 1 §3): notebooks whose expiry is more than 3 days past, burn-after-read notebooks that were opened on an
 * earlier calendar day, and what is over besides: rate windows, freed slugs, reports of last year. May run at any time, again, or
 * twice at once: what is not due stays, and of what is due each is deleted by one.
 * @throws the signal's reason when it is stopped; what is deleted by then stays deleted
 */
export async function purgeExpired({ store, now }: PurgeParts, options: PurgeOptions): Promise<PurgeCounts> {
  const moment = now();
  const due = dueAt(moment, options.timezone);
  if (options.dryRun) return store.countPurgeable(due, moment);
  const slugFreeAt = moment + limits.freedSlugDays * dayMs;
  const each = { signal: options.signal, millis: store.sync ? portionMs : serverPortionMs };
  const { expired, burned } = await inPortions(each, notebooksAtOnce, async size => ({
    portions: 0,
    ...(await store.purgeNotebooks(due, slugFreeAt, size)),
  }));
  const forgotten = await inPortions(each, rowsAtOnce, async size => ({
    ...(await store.deleteExpired(due, moment, size)),
  }));
  return { expired, burned, ...forgotten };
}

function dueAt(now: number, timezone: string): PurgeDue {
  return {
    expiredBefore: now - graceMs,
    // The next day, but never inside of the ten minutes that the one reader was promised.
    openedBefore: Math.min(startOfDay(now, timezone), now - limits.readerCookieMinutes * 60_000),
    reportedBefore: now - limits.reportKeptDays * dayMs,
  };
}

/** Until a portion finds nothing. Each is as large as fits its time, then rests as long as it took: requests have half of the time. */
async function inPortions<Counts extends Record<string, number>>(
  { signal, millis }: { readonly signal: AbortSignal | undefined; readonly millis: number },
  { first, most }: { readonly first: number; readonly most: number },
  takeSome: (size: number) => Promise<Counts>,
): Promise<Counts> {
  let total: Counts | undefined;
  let size = first;
  for (;;) {
    signal?.throwIfAborted();
    const started = performance.now();
    const some = await takeSome(size);
    const tookMs = performance.now() - started;
    total = total ? (sum(total, some) as Counts) : some;
    if (Object.values(some).every(count => count === 0)) return total;
    size = Math.max(1, Math.min(most, 2 * size, Math.round((size * millis) / tookMs)));
    await sleep(Math.min(tookMs, longestPauseMs), undefined, { signal });
  }
}

function sum(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(one).map(([name, count]) => [name, count + (other[name] ?? 0)]));
}

/** What a purge did or would do, as a sentence. */
export function describePurge(counts: PurgeCounts, dryRun = false): string {
  const { expired, burned, rateWindows, freedSlugs, reports } = counts;
  const parts = [
    `${expired} expired and ${burned} opened burn-after-read notebooks`,
    `${rateWindows} rate windows`,
    `${freedSlugs} freed slugs`,
    `${reports} reports older than a year`,
  ];
  return `${dryRun ? 'Would delete' : 'Deleted'} ${parts.join(', ')}.`;
}
