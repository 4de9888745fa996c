import type { Parts } from '../operations/parts.ts';
import type { Times } from './schedule.ts';

export interface Job {
  readonly name: string;
  readonly times: Times;
  /** One run. @returns what it did, as a sentence without names of notebooks. Must be harmless when it runs twice. */
  run(signal: AbortSignal): Promise<string>;
}

export interface JobLog {
  debug?(facts: object, message: string): void;
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface RunnerOptions {
  /** Another process takes the run over after this long without a sign of life. */
  readonly leaseMs?: number;
  /** The waits after the first, second, third … failure; the last one repeats. */
  readonly retryMs?: readonly number[];
}

/** The schedule of one process. */
export interface Runner {
  /** Makes up for missed runs, and from then on runs what is due. */
  start(): void;
  /** Ends the run under way (another process or the next start takes it up) and resolves when nothing runs any more. */
  stop(): Promise<void>;
  /** Checks the clock once and runs what is due and not done. @returns the names of the jobs it ran */
  check(): Promise<string[]>;
}

const minuteMs = 60_000;

/**
 * Runs jobs at their times, each run in one process only: the process that gets the lease in the database does it, extends the lease while
 * it works and records the time as done. A run that was missed because no process was there is made up for, once, at the next start.
 */
export function createRunner(
  { store, now, randomBytes }: Pick<Parts, 'store' | 'now' | 'randomBytes'>,
  jobs: readonly Job[],
  log: JobLog,
  { leaseMs = 2 * minuteMs, retryMs = [minuteMs, 5 * minuteMs, 30 * minuteMs] }: RunnerOptions = {},
): Runner {
  const stopping = new AbortController();
  /** Runs known to be done, by job, which need no further database query. */
  const done = new Map<string, number>();
  const failures = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<string[]> = Promise.resolve([]);

  async function check(): Promise<string[]> {
    const ran: string[] = [];
    for (const job of jobs) {
      const due = job.times.latest(now());
      if (due === undefined || isDone(job.name, due) || stopping.signal.aborted) continue;
      try {
        if (await runOnce(job, due)) ran.push(job.name);
      } catch (error) {
        // The database did not answer: the next check tries again.
        log.error({ err: error, job: job.name }, 'job failed');
      }
    }
    log.debug?.({ ran }, 'jobs checked');
    return ran;
  }

  /** A time in the future was recorded by a clock that was wrong. */
  function isDone(name: string, due: number): boolean {
    const known = done.get(name) ?? 0;
    return due <= known && known <= now();
  }

  async function runOnce(job: Job, due: number): Promise<boolean> {
    const lease = { name: job.name, due, holder: Buffer.from(randomBytes(16)).toString('hex'), until: now() + leaseMs };
    if (!(await store.takeJobLease(lease, now()))) {
      const known = await store.findJobDone(job.name);
      done.set(job.name, known);
      return false;
    }
    const lost = new AbortController();
    const heartbeat = setInterval(async () => {
      const kept = await store.extendJobLease({ ...lease, until: now() + leaseMs }).catch(() => true);
      if (!kept) lost.abort(new Error('another process has taken the run over'));
    }, leaseMs / 4);
    const started = performance.now();
    try {
      const did = await job.run(AbortSignal.any([stopping.signal, lost.signal]));
      await store.finishJobRun(lease);
      done.set(job.name, due);
      failures.delete(job.name);
      log.info({ job: job.name, ms: Math.round(performance.now() - started), did }, 'job done');
      return true;
    } catch (error) {
      await giveBack(job, lease, error);
      return false;
    } finally {
      clearInterval(heartbeat);
    }
  }

  async function giveBack(job: Job, lease: Parameters<typeof store.releaseJobLease>[0], error: unknown): Promise<void> {
    if (stopping.signal.aborted) return store.releaseJobLease(lease, 0);
    const failed = (failures.get(job.name) ?? 0) + 1;
    failures.set(job.name, failed);
    const waitMs = retryMs[Math.min(failed, retryMs.length) - 1] ?? minuteMs;
    log.error({ err: error, job: job.name, failed, retryInSeconds: Math.round(waitMs / 1_000) }, 'job failed');
    await store.releaseJobLease(lease, now() + waitMs);
  }

  /** Checks the clock at least every minute: a machine may sleep, its clock may be set, another process may die during a run. */
  function schedule(): void {
    const waits = jobs.map(job => job.times.next(now()) - now());
    timer = setTimeout(look, Math.max(0, Math.min(minuteMs, ...waits)));
    timer.unref();
  }

  function look(): void {
    underWay = check();
    underWay.catch(() => {}).finally(() => stopping.signal.aborted || schedule());
  }

  return {
    check,
    start: look,
    async stop() {
      stopping.abort(new Error('the service is stopping'));
      clearTimeout(timer);
      await underWay.catch(() => {});
    },
  };
}
