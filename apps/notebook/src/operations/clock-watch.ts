import { believedTime } from '../model/kept-times.ts';
import type { Store } from '../store/store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * How far the clock may be ahead of the expected time. While the process runs, its monotonic clock measures how much time has passed. A day
 * of sleep is tolerated: it is less than the three days of grace, so no notebook that readers could still open is affected. Across a
 * restart nobody knows the time passed, and a service may be off for a week.
 */
export const clockTolerance = { runningMs: dayMs, stoppedMs: 7 * dayMs, databaseMs: hourMs } as const;

/** A clock that leapt ahead is trusted again after it has kept its time for this long. */
export const trustedAfterMs = dayMs;

/** A clock that went back is taken as right after this long. */
const behindForMs = hourMs;

export type ClockReading = { readonly kind: 'steady' } | { readonly kind: 'leapt'; readonly why: string };

/** Whether this machine's time can be trusted for a deletion. */
export interface ClockWatch {
  /**
   * Checks the clock, and stores the reading for the next process. Call it every few minutes, and before anything is deleted for its age.
   */
  check(): Promise<ClockReading>;
  /** The operator has checked the clock and it is right. */
  trust(): Promise<void>;
}

export interface ClockParts {
  readonly store: Pick<Store, 'findTimes' | 'keepTime' | 'databaseTime'>;
  readonly now: () => number;
  /** Milliseconds that have passed in this process, independent of the clock. */
  readonly passed: () => number;
}

/** For tests about something else, and for code that receives time as a parameter. */
export const steadyClock: ClockWatch = { check: async () => ({ kind: 'steady' }), trust: async () => {} };

const seen = believedTime;
const leaptSince = 'clock-leapt-since';

/**
 * Compares the clock with the last trusted time (kept in the database), with the time passed in this process, and with the clock of the
 * database's machine if that is another one. A machine that wakes up 40 days ahead deletes nothing: not after a minute, not after an hour,
 * and not after a restart.
 */
export function createClockWatch({ store, now, passed }: ClockParts): ClockWatch {
  /** A time known to be right: the clock's reading, and when in this process it was read. */
  let known: { readonly time: number; readonly at: number } | undefined;
  let behindSince: number | undefined;

  async function trust(time: number, wasDoubted: boolean): Promise<ClockReading> {
    known = { time, at: passed() };
    await store.keepTime(seen, time);
    if (wasDoubted) await store.keepTime(leaptSince, null);
    return { kind: 'steady' };
  }

  async function doubt(time: number, since: number | undefined, why: string): Promise<ClockReading> {
    if (since === undefined || since > time) await store.keepTime(leaptSince, time);
    else if (time - since >= trustedAfterMs) return trust(time, true);
    return { kind: 'leapt', why };
  }

  /** The clock went back: either the trusted time was wrong, or this one is. */
  async function checkSetBack(): Promise<ClockReading> {
    behindSince ??= passed();
    if (passed() - behindSince >= behindForMs) return trust(now(), true);
    return { kind: 'steady' };
  }

  async function check(): Promise<ClockReading> {
    const time = now();
    const times = await store.findTimes();
    const last = times.get(seen);
    const since = times.get(leaptSince);
    if (last === undefined) return trust(time, false);
    const database = await store.databaseTime();
    // Two machines that disagree will disagree tomorrow too: the operator must check.
    if (database !== undefined && time - database > clockTolerance.databaseMs)
      return { kind: 'leapt', why: `this machine's clock is ${formatDuration(time - database)} ahead of the database's` };
    if (time < last) return checkSetBack();
    behindSince = undefined;
    // Takes the later one: another process of the service may have advanced the trusted time while this one slept.
    const expected = known === undefined ? last : Math.max(last, known.time + passed() - known.at);
    const ahead = time - expected;
    // A command that runs while the service doubts the clock has no better reason to trust it.
    const tolerance = (known ?? since) ? clockTolerance.runningMs : clockTolerance.stoppedMs;
    if (ahead > tolerance)
      return doubt(
        time,
        since,
        known === undefined
          ? `the clock is ${formatDuration(ahead)} ahead of when the service last ran`
          : `the clock leapt ahead by ${formatDuration(ahead)}`,
      );
    return trust(time, since !== undefined);
  }

  return {
    check,
    async trust() {
      await trust(now(), true);
    },
  };
}

function formatDuration(ms: number): string {
  return ms >= 2 * dayMs ? `${Math.round(ms / dayMs)} days` : `${Math.round(ms / hourMs)} hours`;
}
