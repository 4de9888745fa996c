import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from './database-unavailable.ts';
import { StoreThread } from './store-thread.ts';

const { Worker } = threads;
const started: Thread[] = [];

/** A thread that does what the test tells it. */
class Thread extends EventEmitter {
  readonly begun: unknown[];
  readonly told: unknown[] = [];
  keepsProcess = true;
  constructor(...begun: unknown[]) {
    super();
    this.begun = begun;
    started.push(this);
  }
  postMessage({ number, request }: { number: number; request: unknown }): void {
    this.told.push([number, request]);
  }
  answer(number: number, result: unknown): void {
    this.emit('message', { number, result });
  }
  fail(number: number, failed: object): void {
    this.emit('message', { number, failed });
  }
  terminate(): void {
    this.told.push('terminate');
    this.emit('exit');
  }
  ref(): void {
    this.keepsProcess = true;
  }
  unref(): void {
    this.keepsProcess = false;
  }
}

const url = new URL('file:///work-worker.js');
let thread: StoreThread<string>;
beforeEach(() => {
  started.length = 0;
  threads.Worker = Thread as unknown as typeof Worker;
  syncBuiltinESMExports();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const limits = { idleMillis: 1_000, timeoutMillis: 3_000 };
  thread = new StoreThread({ url, name: 'The working thread', data: { path: 'octavo.db' }, limits });
});
afterEach(() => {
  vi.useRealTimers();
  threads.Worker = Worker;
  syncBuiltinESMExports();
});

const nextTurn = () => new Promise(resolve => setImmediate(resolve));
const failureOf = (asked: Promise<unknown>) => asked.then(() => undefined).catch((error: unknown) => error as Error);
const told = () => started.map(each => each.told);

it('a thread that the system does not allow is an outage, and the next request tries again', async () => {
  threads.Worker = class {
    constructor() {
      throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
    }
  } as unknown as typeof Worker;
  syncBuiltinESMExports();
  const refused = await failureOf(Promise.resolve().then(() => thread.ask('one')));
  expect(refused).toBeInstanceOf(DatabaseUnavailable);
  expect(refused).toMatchObject({ cause: { message: 'EAGAIN' }, uncertain: false });
  threads.Worker = Thread as unknown as typeof Worker;
  syncBuiltinESMExports();
  const answered = thread.ask('two');
  started[0]!.answer(started[0]!.told.length > 0 ? (started[0]!.told[0] as [number])[0] : 0, 'done');
  expect(await answered).toBe('done');
});

describe('a thread of the store', () => {
  it('starts with the first request, with its data and nothing of the process, and answers each', async () => {
    expect(started).toEqual([]);
    const [one, two] = [thread.ask('one'), thread.ask('two')];
    expect(started[0]!.begun).toEqual([
      url,
      {
        resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 },
        env: {},
        workerData: { path: 'octavo.db' },
        execArgv: [],
      },
    ]);
    expect(told()).toEqual([
      [
        [1, 'one'],
        [2, 'two'],
      ],
    ]);
    started[0]!.answer(2, 'second');
    started[0]!.answer(1, 'first');
    expect(await Promise.all([one, two])).toEqual(['first', 'second']);
  });

  it('throws what the request threw, with what is known of it', async () => {
    const asked = failureOf(thread.ask('one'));
    started[0]!.fail(1, { message: 'disk I/O error', errcode: 10, lostIndex: 'an id' });
    const failure = await asked;
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(DatabaseUnavailable);
    expect(failure).toMatchObject({ message: 'disk I/O error', errcode: 10, lostIndex: 'an id' });
    // It goes on working.
    const next = thread.ask('two');
    started[0]!.answer(2, 'done');
    expect([await next, started.length]).toEqual(['done', 1]);
  });

  it('keeps the process only while it works', async () => {
    const asked = [thread.ask('one'), thread.ask('two')];
    expect(started[0]!.keepsProcess).toBe(true);
    started[0]!.answer(1, '');
    expect(started[0]!.keepsProcess).toBe(true);
    started[0]!.answer(2, '');
    expect(started[0]!.keepsProcess).toBe(false);
    asked.push(thread.ask('three'));
    expect(started[0]!.keepsProcess).toBe(true);
    started[0]!.answer(3, '');
    await Promise.all(asked);
  });

  it('ends when it had no work for long enough, and another starts for the next request', async () => {
    const one = thread.ask('one');
    started[0]!.answer(1, '');
    await one;
    vi.advanceTimersByTime(999);
    const two = thread.ask('two');
    vi.advanceTimersByTime(1_000);
    started[0]!.answer(2, '');
    await two;
    expect(told()[0]).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(told()[0]!.slice(2)).toEqual([[0, 'end']]);
    const three = thread.ask('three');
    started[0]!.emit('exit');
    started[1]!.answer(3, 'by another');
    expect([await three, told()[1]]).toEqual(['by another', [[3, 'three']]]);
    await nextTurn();
    // The first thread left by itself, so nothing ends it.
    vi.advanceTimersByTime(10_000);
    expect(told()[0]!.at(-1)).toEqual([0, 'end']);
  });

  it('is given up when a request takes too long, counted from the last answer on, and so is what waits', async () => {
    const one = thread.ask('one');
    vi.advanceTimersByTime(2_000);
    const rest = [thread.ask('two'), thread.ask('three')].map(failureOf);
    vi.advanceTimersByTime(999);
    started[0]!.answer(1, 'in time');
    expect(await one).toBe('in time');
    vi.advanceTimersByTime(2_999);
    await nextTurn();
    expect(told()[0]).not.toContain('terminate');
    vi.advanceTimersByTime(1);
    for (const failure of await Promise.all(rest)) {
      expect(failure).toBeInstanceOf(DatabaseUnavailable);
      expect(failure).toMatchObject({ cause: { message: 'The working thread did not respond within 3000 ms.' } });
    }
    expect(told()[0]!.at(-1)).toBe('terminate');
    const next = thread.ask('four');
    started[1]!.answer(4, 'by another');
    expect(await next).toBe('by another');
  });

  it('that dies loses its requests, and another starts', async () => {
    const one = failureOf(thread.ask('one'));
    const broken = new Error('out of memory');
    started[0]!.emit('error', broken);
    started[0]!.emit('exit');
    expect(await one).toBeInstanceOf(DatabaseUnavailable);
    expect(await one).toMatchObject({ cause: broken });
    const two = failureOf(thread.ask('two'));
    started[1]!.emit('exit');
    expect(await two).toMatchObject({ cause: { message: 'The working thread exited.' } });
    const three = thread.ask('three');
    // Anything the old thread still reports is ignored.
    started[0]!.emit('exit');
    started[1]!.emit('error', broken);
    started[2]!.answer(3, 'done');
    expect(await three).toBe('done');
    vi.advanceTimersByTime(500);
    expect(started).toHaveLength(3);
  });

  it('finishes what is under way when the store closes, and begins nothing more', async () => {
    const one = thread.ask('one');
    let isClosed = false;
    const closing = thread.close().then(() => {
      isClosed = true;
    });
    await expect(thread.ask('late')).rejects.toThrow('The store is closed.');
    expect(told()).toEqual([
      [
        [1, 'one'],
        [0, 'end'],
      ],
    ]);
    started[0]!.answer(1, 'done');
    expect(await one).toBe('done');
    await nextTurn();
    expect(isClosed).toBe(false);
    started[0]!.emit('exit');
    await closing;
    vi.advanceTimersByTime(10_000);
    expect(told()[0]).not.toContain('terminate');
    await thread.close();
    expect(started).toHaveLength(1);
  });

  it('that does not close within 5 seconds is ended', async () => {
    const one = failureOf(thread.ask('one'));
    const closing = thread.close();
    vi.advanceTimersByTime(2_999);
    started[0]!.answer(9, 'to nobody');
    vi.advanceTimersByTime(2_000);
    await nextTurn();
    expect(told()[0]).not.toContain('terminate');
    vi.advanceTimersByTime(1);
    await closing;
    expect(told()[0]!.at(-1)).toBe('terminate');
    expect(await one).toBeInstanceOf(DatabaseUnavailable);
  });
});
