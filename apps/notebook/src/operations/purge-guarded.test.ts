import { expect, it } from 'vitest';
import { steadyClock } from './clock-watch.ts';
import { describeGuardedPurge, purgeGuarded } from './purge-guarded.ts';

const counts = { expired: 60, burned: 50, rateWindows: 3, freedSlugs: 4, reports: 5 };
const none = { expired: 0, burned: 0 };
const told = '60 expired and 50 opened burn-after-read notebooks, 3 rate windows, 4 freed slugs, 5 reports older than a year.';

/** A store of `all` notebooks with this much due. */
function parts(due: typeof counts, all: number) {
  const store = {
    sync: true,
    countPurgeable: async () => due,
    countNotebooks: async (most: number) => Math.min(all, most),
    purgeNotebooks: async () => none,
    deleteExpired: async () => ({ rateWindows: 0, freedSlugs: 0, reports: 0 }),
  };
  return { store, now: () => Date.UTC(2026, 2, 1), clock: steadyClock } as unknown as Parameters<typeof purgeGuarded>[0];
}
const kindOf = async (due: typeof counts, all: number, options = {}) =>
  (await purgeGuarded(parts(due, all), { timezone: 'UTC', ...options })).kind;

it('deletes up to a hundred notebooks, and of more at most half of all', async () => {
  expect(await kindOf({ ...counts, expired: 50 }, 100)).toBe('purged');
  expect(await kindOf({ ...counts, expired: 51 }, 201)).toBe('refused');
  expect(await kindOf({ ...counts, expired: 51 }, 202)).toBe('purged');
  expect(await kindOf(counts, 110, { force: true })).toBe('purged');
});

it('only counts in a dry run', async () => {
  expect(await kindOf(counts, 1_000, { dryRun: true })).toBe('would-purge');
  expect(await kindOf(counts, 110, { dryRun: true, force: true })).toBe('would-purge');
});

it('tells what it did, would do, or refused', async () => {
  expect(describeGuardedPurge({ kind: 'purged', counts })).toBe(`Deleted ${told}`);
  expect(describeGuardedPurge({ kind: 'would-purge', counts })).toBe(`Would delete ${told}`);
  const refused = await purgeGuarded(parts(counts, 110), { timezone: 'UTC' });
  expect(describeGuardedPurge(refused)).toMatch(
    /^Refused: 110 of 110 notebooks would go, more than half\. Nothing was deleted\. /,
  );
});
