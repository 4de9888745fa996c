import type { Store } from '../store/store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * How far the clock may be ahead of what was seen of it. While the process runs its monotonic clock tells how much time has passed, and
 * a day of sleep is forgiven: it is less than the three days of grace, so no notebook that readers could still open is reached. Over a
 * restart nobody knows, and a service may be off for a week.
 */
export const clockTolerance = { runningMs: dayMs, stoppedMs: 7 * dayMs, databaseMs: hourMs } as const;

/** A clock that leapt is believed again when it has stood by its word for so long. */
export const trustedAfterMs = dayMs;

/** A clock that is behind what it said before is taken for the right one after so long. */
const behindForMs = hourMs;

export type ClockReading = { readonly kind: 'steady' } | { readonly kind: 'leapt'; readonly why: string };

/** Whether the time of this machine can be trusted with a deletion. */
export interface ClockWatch {
  /** Looks, and keeps what it saw for the next process. To be called every few minutes, and before anything is deleted for its age. */
  look(): Promise<ClockReading>;
  /** The operator has looked at the clock and it is right. */
  believe(): Promise<void>;
}

export interface ClockParts {
  readonly store: Pick<Store, 'findTimes' | 'keepTime' | 'databaseTime'>;
  readonly now: () => number;
  /** Milliseconds that have passed in this process, whatever becomes of the clock. */
  readonly passed: () => number;
}

/** In tests whose subject is not the clock, and wherever time is a parameter. */
export const steadyClock: ClockWatch = { look: async () => ({ kind: 'steady' }), believe: async () => {} };

const seen = 'clock-believed';
const leaptSince = 'clock-leapt-since';

/**
 * Compares the clock with the last time that was believed (kept in the database), with the time that passed in this process, and with
 * the clock of the database's machine where that is another one. A machine that wakes up 40 days ahead deletes nothing: for a minute,
 * for an hour, and over a restart.
 */
export function createClockWatch({ store, now, passed }: ClockParts): ClockWatch {
  /** What this process knows to be right: a time of the clock, and when that was. */
  let known: { readonly time: number; readonly at: number } | undefined;
  let behindSince: number | undefined;

  async function believe(time: number, wasDoubted: boolean): Promise<ClockReading> {
    known = { time, at: passed() };
    await store.keepTime(seen, time);
    if (wasDoubted) await store.keepTime(leaptSince, null);
    return { kind: 'steady' };
  }

  async function doubt(time: number, since: number | undefined, why: string): Promise<ClockReading> {
    if (since === undefined || since > time) await store.keepTime(leaptSince, time);
    else if (time - since >= trustedAfterMs) return believe(time, true);
    return { kind: 'leapt', why };
  }

  /** The clock went back: what was believed may have been wrong, or this is. */
  async function lookBehind(): Promise<ClockReading> {
    behindSince ??= passed();
    if (passed() - behindSince >= behindForMs) return believe(now(), true);
    return { kind: 'steady' };
  }

  async function look(): Promise<ClockReading> {
    const time = now();
    const times = await store.findTimes();
    const last = times.get(seen);
    const since = times.get(leaptSince);
    if (last === undefined) return believe(time, false);
    const database = await store.databaseTime();
    // Two machines that do not agree will not agree tomorrow either: that is for the operator.
    if (database !== undefined && time - database > clockTolerance.databaseMs)
      return { kind: 'leapt', why: `this machine's clock is ${tellSpan(time - database)} ahead of the database's` };
    if (time < last) return lookBehind();
    behindSince = undefined;
    // The later of the two: another process of the service may have gone on believing while this one slept.
    const expected = known === undefined ? last : Math.max(last, known.time + passed() - known.at);
    const ahead = time - expected;
    // A command that is called while the service doubts the clock has no better reason to believe it.
    const tolerance = (known ?? since) ? clockTolerance.runningMs : clockTolerance.stoppedMs;
    if (ahead > tolerance)
      return doubt(
        time,
        since,
        known === undefined
          ? `the clock is ${tellSpan(ahead)} ahead of when the service last ran`
          : `the clock leapt ahead by ${tellSpan(ahead)}`,
      );
    return believe(time, since !== undefined);
  }

  return {
    look,
    async believe() {
      await believe(now(), true);
    },
  };
}

function tellSpan(ms: number): string {
  return ms >= 2 * dayMs ? `${Math.round(ms / dayMs)} days` : `${Math.round(ms / hourMs)} hours`;
}
