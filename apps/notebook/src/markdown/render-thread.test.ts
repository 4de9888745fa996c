import { EventEmitter } from 'node:events';
import { getCompileCacheDir, syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RenderThread, type RenderThreadAnswer, type RenderThreadLimits } from './render-thread.ts';
import type { RenderRequest } from './render-worker.ts';

// test/markdown/renderer.test.ts has real threads; here the test says what a thread does, and when.

const { Worker } = threads;
const started: Thread[] = [];

class Thread extends EventEmitter {
  readonly begun: readonly [URL, WorkerOptions];
  readonly asked: unknown[] = [];
  /** How often it was told to end. */
  ended = 0;
  keepsProcess = true;
  /** What it says of its processor time, in milliseconds. */
  user = 0;
  system = 0;
  cpuUsage: (() => Promise<{ user: number; system: number }>) | undefined = async () => ({
    user: this.user * 1_000,
    system: this.system * 1_000,
  });
  readonly performance = { eventLoopUtilization: () => ({ active: this.user }) };
  readonly #over = Promise.withResolvers<number>();

  constructor(...begun: [URL, WorkerOptions]) {
    super();
    this.begun = begun;
    started.push(this);
  }
  postMessage(request: unknown): void {
    this.asked.push(request);
  }
  /** Its program is there. */
  load(usedMillis = 0): void {
    this.emit('message', { usedMillis });
  }
  answer(html: string, usedMillis: number): void {
    this.emit('message', { rendered: rendered(html), usedMillis });
  }
  terminate(): Promise<number> {
    this.ended += 1;
    return this.#over.promise;
  }
  stop(): void {
    this.emit('exit', 1);
    this.#over.resolve(1);
  }
  ref(): void {
    this.keepsProcess = true;
  }
  unref(): void {
    this.keepsProcess = false;
  }
}

const rendered = (html: string) => ({ html, headings: [] });
const request = (markdown: string): RenderRequest => ({ markdown, options: {} });
const limits = { timeMillis: 3_000, memoryMegabytes: 128, idleMillis: 60_000, niceness: 7 };

let late: number;
const onLate = () => {
  late += 1;
};
beforeEach(() => {
  started.length = 0;
  late = 0;
  threads.Worker = Thread as unknown as typeof Worker;
  syncBuiltinESMExports();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  threads.Worker = Worker;
  syncBuiltinESMExports();
});

const pass = (millis: number) => vi.advanceTimersByTimeAsync(millis);
const settled = () => pass(0);

/** The answer once it is there. */
function ask(thread: RenderThread, markdown = 'text') {
  const asked: { answer?: RenderThreadAnswer; error?: unknown } = {};
  thread.run(request(markdown), onLate).then(
    answer => Object.assign(asked, { answer }),
    (error: unknown) => Object.assign(asked, { error }),
  );
  return asked;
}

/** A thread that is loaded, for 40 ms of processor time, and has a text. */
async function atWork(over: Partial<RenderThreadLimits> = {}) {
  const thread = new RenderThread({ ...limits, ...over });
  const asked = ask(thread);
  await settled();
  const worker = started.at(-1)!;
  // Its start counts for no text, by the clock either.
  await pass(70);
  worker.user = 40;
  worker.load(40);
  await settled();
  return { thread, asked, worker };
}

describe('a thread that renders', () => {
  it('starts with the first text, bounded, with next to nothing of the process', async () => {
    const thread = new RenderThread(limits);
    expect(started).toEqual([]);
    ask(thread);
    await settled();
    const [program, options] = started[0]!.begun;
    expect(program.href).toMatch(/\/render-worker\.(?:ts|js)$/);
    const cache = getCompileCacheDir();
    expect(options).toEqual({
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      env: cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {},
      workerData: { niceness: 7 },
      execArgv: [],
    });
  });

  it.each([
    [24, 16],
    [96, 24],
    [512, 64],
  ])('with %i MB has a nursery of a quarter, but never too small or too large', async (memoryMegabytes, nursery) => {
    ask(new RenderThread({ ...limits, memoryMegabytes }));
    await settled();
    expect(started[0]!.begun[1].resourceLimits).toMatchObject({ maxYoungGenerationSizeMb: nursery });
  });

  it('has its text only when its program is loaded, and counts the time of each text alone', async () => {
    const thread = new RenderThread(limits);
    const first = ask(thread, 'one');
    await settled();
    expect(started[0]!.asked).toEqual([]);
    started[0]!.load(40);
    await settled();
    expect(started[0]!.asked).toEqual([request('one')]);
    started[0]!.answer('<p>one</p>', 55);
    await settled();
    expect(first.answer).toEqual({ outcome: rendered('<p>one</p>'), usedMillis: 15 });
    const second = ask(thread, 'two');
    await settled();
    started[0]!.answer('<p>two</p>', 75);
    await settled();
    expect(second.answer).toEqual({ outcome: rendered('<p>two</p>'), usedMillis: 20 });
    const third = ask(thread, 'three');
    await settled();
    // A clock that runs backwards gives nobody time back.
    started[0]!.answer('', 74);
    await settled();
    expect([third.answer?.usedMillis, started.length]).toEqual([0, 1]);
  });

  it('that has a fault of ours says so, and goes on', async () => {
    const { thread, asked, worker } = await atWork();
    worker.emit('message', { failed: 'Error: where', usedMillis: 50 });
    await settled();
    expect(asked.error).toEqual(new Error('rendering failed: Error: where'));
    const next = ask(thread);
    await settled();
    worker.answer('', 60);
    await settled();
    expect([next.answer?.usedMillis, started.length, worker.ended]).toEqual([10, 1, 0]);
  });

  it('keeps the process while it loads and while it works, and no longer', async () => {
    const thread = new RenderThread(limits);
    ask(thread);
    await settled();
    const [worker] = started;
    expect(worker!.keepsProcess).toBe(true);
    worker!.load();
    await settled();
    expect(worker!.keepsProcess).toBe(true);
    worker!.answer('', 1);
    expect(worker!.keepsProcess).toBe(false);
    await settled();
    ask(thread);
    await settled();
    expect(worker!.keepsProcess).toBe(true);
    // Given up: no processor for too long.
    await pass(40_000);
    expect(worker!.keepsProcess).toBe(false);
  });

  it('ends when it had no text for long enough, and the next text waits until it has stopped', async () => {
    const { thread, worker } = await atWork({ idleMillis: 1_000 });
    worker.answer('', 41);
    await pass(999);
    ask(thread);
    // It works for longer than it may idle.
    await pass(1_500);
    worker.answer('', 42);
    await pass(999);
    expect(worker.ended).toBe(0);
    await pass(1);
    expect(worker.ended).toBe(1);
    const next = ask(thread);
    await settled();
    expect(started).toHaveLength(1);
    worker.stop();
    await settled();
    expect(started).toHaveLength(2);
    started[1]!.load(30);
    await settled();
    started[1]!.answer('<p>new</p>', 35);
    await settled();
    expect(next.answer).toEqual({ outcome: rendered('<p>new</p>'), usedMillis: 5 });
  });

  it('closes once it has stopped, and is ended once', async () => {
    const { thread, worker } = await atWork({ idleMillis: 1_000 });
    worker.answer('', 41);
    await settled();
    let isClosed = false;
    const closing = thread.close().then(() => {
      isClosed = true;
    });
    expect(vi.getTimerCount()).toBe(0);
    await pass(5_000);
    expect([isClosed, worker.ended]).toEqual([false, 1]);
    worker.stop();
    await closing;
    await new RenderThread(limits).close();
    expect(started).toHaveLength(1);
  });
});

describe('a text', () => {
  it('that takes too much processor time is given up; one that takes a second is called late', async () => {
    const { asked, worker } = await atWork();
    await pass(999);
    worker.user = 1_000;
    // The system's part counts, too.
    worker.system = 40;
    expect(late).toBe(0);
    await pass(1);
    expect(late).toBe(1);
    worker.user = 2_999;
    await pass(2_000);
    // One millisecond is left, and ten are the least until it is looked at again.
    expect([asked.answer, late]).toEqual([undefined, 2]);
    worker.user = 3_000;
    await pass(9);
    expect(asked.answer).toBeUndefined();
    await pass(1);
    // A new thread costs as much as 300 ms.
    expect(asked.answer).toEqual({ outcome: 'time', usedMillis: 3_300 });
    expect([worker.ended, worker.keepsProcess, vi.getTimerCount(), late]).toEqual([1, false, 0, 2]);
  });

  it('is charged for no more than it may take', async () => {
    const { asked, worker } = await atWork({ timeMillis: 200 });
    worker.user = 5_000;
    await pass(199);
    expect(asked.answer).toBeUndefined();
    await pass(1);
    expect([asked.answer, late]).toEqual([{ outcome: 'time', usedMillis: 500 }, 0]);
  });

  it('is looked at again when it could be late, and when it could be over', async () => {
    const { worker } = await atWork();
    const says = worker.cpuUsage!;
    let looks = 0;
    worker.cpuUsage = () => {
      looks += 1;
      return says();
    };
    await pass(1_000);
    // 40 ms, all of which were its loading: another second.
    expect(looks).toBe(1);
    worker.user = 440;
    await pass(1_000);
    expect(looks).toBe(2);
    worker.user = 1_540;
    await pass(599);
    expect(looks).toBe(2);
    await pass(1);
    expect([looks, late]).toEqual([3, 1]);
    await pass(1_499);
    expect(looks).toBe(3);
    await pass(1);
    expect(looks).toBe(4);
  });

  it.each([
    ['ten times its processor time', {}, 3_000],
    ['as long as the limits say', { waitMillis: 900 }, 900],
  ])('that gets no processor is given up after %s', async (_, over, millis) => {
    const { asked, worker } = await atWork({ timeMillis: 300, ...over });
    worker.user = 40;
    await pass(millis - 1);
    expect(asked.answer).toBeUndefined();
    await pass(1);
    expect(asked.answer).toEqual({ outcome: 'busy', usedMillis: 300 });
    expect([worker.ended, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('that needs too much memory is told so, and charged by the clock', async () => {
    const { asked, worker } = await atWork();
    await pass(500);
    worker.emit('error', Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
    await settled();
    expect(asked.answer).toEqual({ outcome: 'memory', usedMillis: 800 });
    expect([worker.ended, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('whose thread breaks gets its error, and the next a new thread', async () => {
    const { thread, asked, worker } = await atWork();
    const broken = new Error('broken');
    worker.emit('error', broken);
    worker.stop();
    await settled();
    expect([asked.error, vi.getTimerCount()]).toEqual([broken, 0]);
    ask(thread);
    await settled();
    expect(started).toHaveLength(2);
  });

  it('whose thread stops without a word is not rendered now, and the next gets a new thread', async () => {
    const { thread, asked, worker } = await atWork();
    worker.stop();
    await settled();
    expect(asked.answer).toEqual({ outcome: 'busy', usedMillis: 300 });
    expect(vi.getTimerCount()).toBe(0);
    ask(thread);
    await settled();
    expect(started).toHaveLength(2);
  });

  it('is not touched by what a thread says that was given up', async () => {
    const { thread, asked, worker } = await atWork({ timeMillis: 200 });
    worker.user = 240;
    await pass(200);
    expect(asked.answer?.outcome).toBe('time');
    worker.stop();
    const next = ask(thread);
    await settled();
    started[1]!.load();
    await settled();
    // An error that nobody listens to would end the process.
    worker.emit('error', new Error('late'));
    worker.emit('exit', 1);
    worker.answer('old', 1);
    started[1]!.answer('new', 5);
    await settled();
    expect(next.answer).toEqual({ outcome: rendered('new'), usedMillis: 5 });
    ask(thread);
    await settled();
    expect([started.length, started[1]!.asked.length]).toEqual([2, 2]);
  });

  it('leaves no listener behind', async () => {
    const { thread, worker } = await atWork();
    const listeners = () => ['message', 'error', 'exit'].map(event => worker.listenerCount(event));
    worker.answer('', 41);
    const before = listeners();
    await settled();
    ask(thread);
    await settled();
    expect(listeners()).toEqual(before.map(count => count + 1));
    worker.answer('', 42);
    expect(listeners()).toEqual(before);
  });

  it('that is answered while its time is asked for is over', async () => {
    const { asked, worker } = await atWork();
    const { promise, resolve } = Promise.withResolvers<{ user: number; system: number }>();
    worker.cpuUsage = () => promise;
    await pass(1_000);
    worker.answer('in time', 1_500);
    await settled();
    // A second, and not yet too much.
    resolve({ user: 1_500_000, system: 0 });
    await settled();
    expect([asked.answer?.outcome, late, worker.ended]).toEqual([rendered('in time'), 0, 0]);
    // Until the idle thread ends.
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe('the processor time of a thread', () => {
  it('that cannot say it is the time in which it was not idle', async () => {
    const { asked, worker } = await atWork({ timeMillis: 500 });
    worker.cpuUsage = undefined;
    worker.user = 540;
    await pass(500);
    expect(asked.answer?.outcome).toBe('time');
  });

  it('that fails to say it, or does not within a second, counts for nothing', async () => {
    const { asked, worker } = await atWork({ timeMillis: 500 });
    worker.user = 9_000;
    const says = worker.cpuUsage;
    worker.cpuUsage = () => Promise.reject(new Error('gone'));
    await pass(500);
    worker.cpuUsage = () => new Promise(() => {});
    // The time of its loading is taken off nothing: 540 ms until the next look.
    await pass(540 + 999);
    worker.cpuUsage = says;
    await pass(1);
    expect(asked.answer).toBeUndefined();
    await pass(540);
    expect(asked.answer?.outcome).toBe('time');
  });
});

describe('a program that does not load', () => {
  it('fails its text, and the next gets another thread', async () => {
    const thread = new RenderThread(limits);
    const first = ask(thread);
    await settled();
    started[0]!.stop();
    await settled();
    expect(first.error).toMatchObject({ name: 'AbortError' });
    expect(started[0]!.keepsProcess).toBe(false);
    const second = ask(thread);
    await settled();
    expect(started).toHaveLength(2);
    const broken = new Error('syntax');
    started[1]!.emit('error', broken);
    started[1]!.stop();
    await settled();
    expect(second.error).toBe(broken);
  });
});
