import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Value } from '../statement.ts';
import { Checkpoints } from './sqlite-checkpoints.ts';

const { Worker } = threads;
const started: Thread[] = [];

/** A thread that does what the test tells it. */
class Thread extends EventEmitter {
  readonly program: string;
  readonly options: unknown;
  readonly told: string[] = [];
  keepsProcess = true;
  constructor(url: URL, options: unknown) {
    super();
    this.program = url.pathname.split('/').at(-1)!;
    this.options = options;
    started.push(this);
  }
  postMessage(word: string): void {
    this.told.push(word);
  }
  ref(): void {
    this.keepsProcess = true;
  }
  unref(): void {
    this.keepsProcess = false;
  }
}

let checkpoints: Checkpoints;
beforeEach(() => {
  // Its program is named as beside the sources, whether or not this run has built it.
  vi.stubEnv('OCTAVO_TEST_PROGRAMS', 'sources');
  started.length = 0;
  threads.Worker = Thread as unknown as typeof Worker;
  syncBuiltinESMExports();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  checkpoints = new Checkpoints('/data/octavo.db');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  threads.Worker = Worker;
  syncBuiltinESMExports();
});

const nextTurn = () => new Promise(resolve => setImmediate(resolve));
const write = (...values: Value[]) => checkpoints.count({ sql: 'insert into "pages"', values, isFixed: true });
/** A write of this many pages of the log, including the two of its statement. */
const pages = (count: number) => 'x'.repeat((count - 2) * 4_096);
const told = () => started.map(thread => thread.told);

describe('the thread that brings the log over', () => {
  it('is asked after the turn in which the log is a thousand pages longer', async () => {
    write(pages(998));
    await nextTurn();
    expect(started).toEqual([]);
    write();
    expect(started).toEqual([]);
    await nextTurn();
    expect(told()).toEqual([['checkpoint']]);
    expect(started[0]).toMatchObject({ program: 'checkpoint-worker.ts', keepsProcess: false });
    expect(started[0]!.options).toEqual({
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
      env: {},
      workerData: { path: '/data/octavo.db' },
      execArgv: [],
    });
  });

  it('is asked for long texts and bytes, and not for what is read or short', async () => {
    checkpoints.count({ sql: 'select "markdown"', values: [pages(5_000)], isFixed: true });
    for (let turn = 0; turn < 498; turn++) write(turn, null, true);
    write(new Uint8Array(4_096));
    await nextTurn();
    expect(started).toEqual([]);
    write();
    await nextTurn();
    expect(told()).toEqual([['checkpoint']]);
    started[0]!.emit('message');
    write(new Uint8Array(998 * 4_096));
    await nextTurn();
    expect(told()).toEqual([['checkpoint', 'checkpoint']]);
  });

  it('has one order at a time, and the next when a thousand more came meanwhile', async () => {
    write(pages(1_000));
    write(pages(1_000));
    await nextTurn();
    write(pages(999));
    await nextTurn();
    expect(told()).toEqual([['checkpoint']]);
    started[0]!.emit('message');
    await nextTurn();
    expect(told()).toEqual([['checkpoint']]);
    write();
    await nextTurn();
    write(pages(1_000));
    await nextTurn();
    expect(told()).toEqual([['checkpoint', 'checkpoint']]);
    started[0]!.emit('message');
    await nextTurn();
    expect(told()).toEqual([['checkpoint', 'checkpoint', 'checkpoint']]);
  });

  it('ends after a minute without work, and another begins when it is needed', async () => {
    write(pages(1_000));
    await nextTurn();
    started[0]!.emit('message');
    vi.advanceTimersByTime(59_999);
    write(pages(1_000));
    await nextTurn();
    // Work is under way, so the idle minute starts over.
    vi.advanceTimersByTime(60_000);
    expect(told()).toEqual([['checkpoint', 'checkpoint']]);
    started[0]!.emit('message');
    vi.advanceTimersByTime(60_000);
    expect(told()).toEqual([['checkpoint', 'checkpoint', 'end']]);
    // Ending takes a moment, during which it keeps the process alive.
    expect(started[0]!.keepsProcess).toBe(true);
    write(pages(1_000));
    await nextTurn();
    expect(told()).toEqual([['checkpoint', 'checkpoint', 'end'], ['checkpoint']]);
    // The old thread's exit must not be taken for the new one's.
    started[0]!.emit('exit');
    write(pages(1_000));
    await nextTurn();
    started[1]!.emit('message');
    await nextTurn();
    expect(told()[1]).toEqual(['checkpoint', 'checkpoint']);
  });

  it('may die: the next long log is another one’s', async () => {
    write(pages(1_000));
    await nextTurn();
    started[0]!.emit('error', new Error('out of memory'));
    started[0]!.emit('exit');
    await nextTurn();
    expect(started).toHaveLength(1);
    write(pages(1_000));
    await nextTurn();
    expect(told()).toEqual([['checkpoint'], ['checkpoint']]);
  });

  it('may not start, because the system allows no more threads: the next long log tries again', async () => {
    threads.Worker = class {
      constructor() {
        throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
      }
    } as unknown as typeof Worker;
    syncBuiltinESMExports();
    write(pages(1_000));
    // An error here would end the process.
    await nextTurn();
    threads.Worker = Thread as unknown as typeof Worker;
    syncBuiltinESMExports();
    await nextTurn();
    expect(started).toEqual([]);
    write(pages(1_000));
    await nextTurn();
    expect(told()).toEqual([['checkpoint']]);
  });

  it('is told to end when the store closes, and waited for', async () => {
    write(pages(1_000));
    await nextTurn();
    started[0]!.emit('message');
    write(pages(1_000));
    let isClosed = false;
    const closing = checkpoints.close().then(() => {
      isClosed = true;
    });
    await nextTurn();
    expect([told(), isClosed, started[0]!.keepsProcess]).toEqual([[['checkpoint', 'end']], false, true]);
    started[0]!.emit('exit');
    await closing;
    write(pages(1_000));
    await nextTurn();
    expect(started).toHaveLength(1);
    // Nothing is left to wait for.
    await checkpoints.close();
    vi.advanceTimersByTime(60_000);
    expect(told()).toEqual([['checkpoint', 'end']]);
  });

  it('is not started only to be ended', async () => {
    await checkpoints.close();
    expect(started).toEqual([]);
  });
});
