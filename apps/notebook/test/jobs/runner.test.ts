import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunner, type Job, type Runner, type RunnerOptions } from '../../src/jobs/runner.ts';
import { schedule, timesOf } from '../../src/jobs/schedule.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { day, minute } from '../store/contract/subject.ts';
import { type Database, engines } from '../support/engines.ts';

const at = (text: string) => Date.parse(text);

interface Bench {
  readonly runner: Runner;
  readonly runs: number[];
  readonly log: string[];
}

describe.each(engines)('the schedule on $name', engine => {
  let database: Database;
  let stores: Store[];
  const clock = { now: 0 };

  beforeEach(async () => {
    database = await engine.createDatabase();
    stores = [];
    clock.now = at('2026-03-01T12:00:00Z');
  });
  afterEach(async () => {
    await Promise.all(stores.map(store => store.close()));
    database.remove();
  });

  /** One process: its own connection and runner, with the daily job. */
  async function open(run?: Job['run'], options?: RunnerOptions): Promise<Bench> {
    const store = createStore(database.url);
    stores.push(store);
    await store.migrate();
    const runs: number[] = [];
    const log: string[] = [];
    const note = (facts: object, message: string) => log.push(`${message} ${JSON.stringify(facts)}`);
    const times = timesOf(schedule.purge, 'UTC');
    const job: Job = {
      name: 'purge',
      times,
      run: async signal => {
        runs.push(times.latest(clock.now)!);
        return run ? run(signal) : 'did it';
      },
    };
    const parts = { store, now: () => clock.now, randomBytes: (size: number) => randomBytes(size) };
    return { runner: createRunner(parts, [job], { info: note, error: note }, options), runs, log };
  }

  it('makes up for a missed run at the first look, once, and not for each of a month', async () => {
    const { runner, runs, log } = await open();
    expect(await runner.check()).toEqual(['purge']);
    expect(await runner.check()).toEqual([]);
    clock.now += 30 * day;
    expect(await runner.check()).toEqual(['purge']);
    expect(runs).toEqual([at('2026-03-01T03:15:00Z'), at('2026-03-31T03:15:00Z')]);
    expect(log[0]).toMatch(/^job done \{"job":"purge","ms":\d+,"did":"did it"\}$/);
  });

  it('runs when the time comes and not a millisecond before', async () => {
    const { runner, runs } = await open();
    await runner.check();
    clock.now = at('2026-03-02T03:14:59.999Z');
    expect(await runner.check()).toEqual([]);
    clock.now = at('2026-03-02T03:15:00Z');
    expect(await runner.check()).toEqual(['purge']);
    expect(runs.at(-1)).toBe(at('2026-03-02T03:15:00Z'));
  });

  it('does not run again what was done before a restart', async () => {
    await (await open()).runner.check();
    const { runner, runs } = await open();
    expect(await runner.check()).toEqual([]);
    expect(runs).toEqual([]);
  });

  it('runs each time in one of four processes', async () => {
    const benches = await Promise.all(Array.from({ length: 4 }, () => open()));
    for (let round = 0; round < 10; round++) {
      const ran = await Promise.all(benches.map(({ runner }) => runner.check()));
      expect(ran.flat()).toEqual(['purge']);
      clock.now += day;
    }
    const all = benches.flatMap(({ runs }) => runs);
    expect([all.length, new Set(all).size]).toEqual([10, 10]);
  });

  it('tries a failed run again, after a wait, in whichever process looks first', async () => {
    let fails = 2;
    const failing = async () => {
      if (fails-- > 0) throw new Error('no luck');
      return 'did it';
    };
    const [one, other] = [await open(failing), await open(failing)];
    expect(await one.runner.check()).toEqual([]);
    expect(one.log[0]).toContain('job failed');
    expect(await other.runner.check()).toEqual([]);
    expect(other.runs).toEqual([]);
    clock.now += minute;
    expect(await other.runner.check()).toEqual([]);
    expect(other.runs).toHaveLength(1);
    clock.now += minute;
    expect(await one.runner.check()).toEqual(['purge']);
    expect(await other.runner.check()).toEqual([]);
  });

  it('takes over from a process that died at work, when its lease is over', async () => {
    const dead = await open(() => new Promise(() => {}));
    void dead.runner.check();
    await expect.poll(() => dead.runs.length).toBe(1);
    const { runner } = await open();
    clock.now += 2 * minute - 1;
    expect(await runner.check()).toEqual([]);
    clock.now += 1;
    expect(await runner.check()).toEqual(['purge']);
  });

  it('extends its lease while at work, and stops when it lost it all the same', async () => {
    const reasons: unknown[] = [];
    const untilStopped = (signal: AbortSignal) =>
      new Promise<string>((_, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push((signal.reason as Error).message);
          reject(signal.reason as Error);
        });
      });
    const slow = await open(untilStopped, { leaseMs: 200 });
    const looking = slow.runner.check();
    await expect.poll(() => slow.runs.length).toBe(1);
    const other = await open(undefined, { leaseMs: 200 });
    const { extendJobLease } = stores[0]!;
    let beats = 0;
    stores[0]!.extendJobLease = async lease => {
      const kept = await extendJobLease(lease);
      if (lease.until > clock.now + 150) beats += 1;
      return kept;
    };
    // The heartbeat moves the end of the lease along with the clock, past the first one.
    clock.now += 150;
    beats = 0;
    await expect.poll(() => beats, { interval: 10 }).toBeGreaterThan(0);
    clock.now += 100;
    expect(await other.runner.check()).toEqual([]);
    // A machine that sleeps sends no sign of life. When it wakes up, it finds its run in other hands.
    stores[0]!.extendJobLease = async () => true;
    clock.now += 10 * minute;
    expect(await other.runner.check()).toEqual(['purge']);
    stores[0]!.extendJobLease = extendJobLease;
    expect(await looking).toEqual([]);
    expect(reasons).toEqual(['another process has taken the run over']);
    await slow.runner.stop();
  });

  it('starts by itself, and gives a run back when the service stops in the middle of it', async () => {
    const untilStopped = (signal: AbortSignal) =>
      new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const stopping = await open(untilStopped);
    stopping.runner.start();
    await expect.poll(() => stopping.runs.length).toBe(1);
    await stopping.runner.stop();
    expect(stopping.log.filter(line => line.includes('failed'))).toEqual([]);
    const { runner } = await open();
    expect(await runner.check()).toEqual(['purge']);
  });

  it('survives a database that does not answer', async () => {
    const { runner, log } = await open();
    const { takeJobLease } = stores[0]!;
    stores[0]!.takeJobLease = async () => {
      throw new Error('the database is unavailable');
    };
    expect(await runner.check()).toEqual([]);
    expect(log[0]).toContain('job failed');
    stores[0]!.takeJobLease = takeJobLease;
    expect(await runner.check()).toEqual(['purge']);
  });
});
