import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../limits.ts';
import { startOfDay } from '../model/calendar-day.ts';
import { graceMs } from '../model/expiry.ts';
import type { ExpiredPlace, PurgeCounts, PurgeDue, PurgePlace, Store } from '../store/store.ts';
import type { Needs } from './parts.ts';

const dayMs = 86_400_000;

/**
 * Deleting holds SQLite's only write lock, and 10,000 notebooks at once would block every save for many seconds. So at most 20 go at a
 * time, and fewer when they are slow to delete (a notebook with three searchable pages takes 5 to 10 ms, an unlisted one half of one).
 */
const notebooksAtOnce = { first: 5, most: 20 };
export const rowsAtOnce = { first: 100, most: 500 };
const portionMs = 25;
/** A database server's transactions lock only the rows that they delete. */
const serverPortionMs = 200;
const longestPauseMs = 100;
/**
 * A database server's purge passes over a locked notebook: a save holds it, a page that is being kept for views, another purge. Most
 * hold it for milliseconds, and the next purge is a day away.
 */
const heldPausesMs = [50, 100, 200, 400, 800, 1_600];

export interface PurgeOptions {
  /** The time zone of "the next day". */
  readonly timezone: string;
  /** Counts and deletes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

type PurgeParts = Needs<'store' | 'now'>;

/**
 * The daily purge (spec 1 §3): notebooks whose expiry is more than 3 days past, burn-after-read notebooks that were opened on an earlier
 * calendar day, and expired rate windows, freed slugs and last year's reports. It may run at any time, repeatedly, or twice at once: what
 * is not due stays, and each due item is deleted once.
 * @throws the signal's reason when it is stopped; deletions up to then stay
 */
export async function purgeExpired({ store, now }: PurgeParts, options: PurgeOptions): Promise<PurgeCounts> {
  const moment = now();
  const due = dueAt(moment, options.timezone);
  if (options.dryRun) return store.countPurgeable(due, moment);
  const slugFreeAt = moment + limits.freedSlugDays * dayMs;
  const each = { signal: options.signal, millis: millisOf(store) };
  const takeNotebooks = goOn(async (size, from: PurgePlace | undefined) => {
    const { reached, portions = 0, ...gone } = await store.purgeNotebooks(due, slugFreeAt, size, from);
    // A notebook that goes in portions waits at the start.
    return { reached: portions > 0 ? undefined : reached, gone: { portions, ...gone } };
  });
  let { expired, burned } = await inPortions(each, notebooksAtOnce, takeNotebooks);
  for (const pauseMs of store.sync ? [] : heldPausesMs) {
    if (!(await store.hasDueNotebook(due))) break;
    await sleep(pauseMs, undefined, { signal: options.signal });
    const more = await inPortions(each, notebooksAtOnce, takeNotebooks);
    expired += more.expired;
    burned += more.burned;
  }
  const takeRecords = goOn(
    async (size, from: ExpiredPlace | undefined) => {
      const { reached, ...gone } = await store.deleteExpired(due, moment, size, from);
      return { reached, gone };
    },
    // A row may have been held when this purge came past.
    { endsTwice: true },
  );
  return { expired, burned, ...(await inPortions(each, rowsAtOnce, takeRecords)) };
}

/** Each portion goes on where the one before it ended. @param endsTwice when nothing is left there, one more starts from the beginning */
function goOn<Place, Counts extends Record<string, number>>(
  take: (size: number, from: Place | undefined) => Promise<{ readonly reached: Place | undefined; readonly gone: Counts }>,
  { endsTwice = false } = {},
): (size: number) => Promise<Counts> {
  let from: Place | undefined;
  return async function takeSome(size): Promise<Counts> {
    const { reached, gone } = await take(size, from);
    const isLast = isNothing(gone);
    const again = endsTwice && isLast && from !== undefined;
    from = isLast ? undefined : reached;
    return again ? takeSome(size) : gone;
  };
}

const isNothing = (counts: Record<string, number>) => Object.values(counts).every(count => count === 0);

/** The time of one portion. */
export function millisOf({ sync }: Pick<Store, 'sync'>): number {
  return sync ? portionMs : serverPortionMs;
}

function dueAt(now: number, timezone: string): PurgeDue {
  return {
    expiredBefore: now - graceMs,
    // The next day, but never within the ten minutes that the one reader was promised.
    openedBefore: Math.min(startOfDay(now, timezone), now - limits.readerCookieMinutes * 60_000),
    reportedBefore: now - limits.reportKeptDays * dayMs,
  };
}

/**
 * Repeats until a portion finds nothing. Each portion is sized to fit its time, then pauses as long as it took: requests get half of the
 * time.
 */
export async function inPortions<Counts extends Record<string, number>>(
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
    if (isNothing(some)) return total;
    size = Math.max(1, Math.min(most, 2 * size, Math.round((size * millis) / tookMs)));
    await sleep(Math.min(tookMs, longestPauseMs), undefined, { signal });
  }
}

function sum(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(one).map(([name, count]) => [name, count + (other[name] ?? 0)]));
}

/** Says what a purge did or would do, as a sentence. */
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
