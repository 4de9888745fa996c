import { Cron } from 'croner';

/** The cron table of the service (spec 1 §3), in the JOBS_TIMEZONE zone. Minute, hour, day of the month, month, day of the week. */
export const schedule = {
  purge: '15 3 * * *',
  sweep: '45 3 * * 0',
  'keep-alive': '0 4 */3 * *',
} as const;

export type JobName = keyof typeof schedule;

export interface Times {
  /** The last time at or before `now`; undefined before the first one ever. */
  latest(now: number): number | undefined;
  /** The first time after `now`. */
  next(now: number): number;
}

/** The times of a cron expression. It only calculates and starts nothing. */
export function timesOf(expression: string, timezone: string): Times {
  const cron = new Cron(expression, { timezone, paused: true });
  return {
    // The library returns times before the given moment.
    latest: now => cron.previousRuns(1, new Date(now + 1))[0]?.getTime(),
    next: now => {
      const next = cron.nextRun(new Date(now));
      if (!next) throw new Error(`"${expression}" never comes again`);
      return next.getTime();
    },
  };
}
