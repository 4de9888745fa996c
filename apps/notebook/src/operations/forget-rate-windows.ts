import type { ClockWatch } from './clock-watch.ts';
import type { Needs } from './parts.ts';
import { inPortions, millisOf, rowsAtOnce } from './purge-expired.ts';

/** So few wait for the daily purge. */
const fewWindows = 1_000;
/** Machines that share a database may disagree about the time by this much. */
const clockMarginMs = 10 * 60_000;

/**
 * Deletes rate windows that are over, when there are many. A client with a network of its own for each request leaves a window with each:
 * until the next purge those would be millions. What is left are those of the last 20 minutes.
 * @returns how many went
 * @throws the signal's reason when it is stopped
 */
export async function forgetRateWindows(
  { store, now, clock }: Needs<'store' | 'now'> & { readonly clock: Pick<ClockWatch, 'check'> },
  signal?: AbortSignal,
): Promise<number> {
  const before = now() - clockMarginMs;
  if (!(await store.hasManyOldRateSlots(before, fewWindows))) return 0;
  // When the clock comes back, a window that seemed to be over still counts.
  if ((await clock.check()).kind === 'leapt') return 0;
  const { count } = await inPortions({ signal, millis: millisOf(store) }, rowsAtOnce, async size => ({
    count: await store.deleteOldRateSlots(before, size),
  }));
  return count;
}
