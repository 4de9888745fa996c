import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { afterEach, beforeEach, vi } from 'vitest';
import { countTimers } from '../../../../tools/own-timers.ts';
import { RenderThread, type RenderThreadAnswer, type RenderThreadLimits } from '../../src/markdown/render-thread.ts';
import type { RenderRequest } from '../../src/markdown/render-worker.ts';

const { Worker } = threads;

/** A thread in name only: the test says what it does, and when. renderer.test.ts has real ones. */
export class PlayedThread extends EventEmitter {
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
    startedThreads.push(this);
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

/** Since the test began, in this order. */
export const startedThreads: PlayedThread[] = [];

export const rendered = (html: string) => ({ html, headings: [] });
export const request = (markdown: string): RenderRequest => ({ markdown, options: {} });
export const limits = { timeMillis: 3_000, memoryMegabytes: 128, idleMillis: 60_000, niceness: 7 };

let late: number;

/** How often a text was called late. */
export const lateCalls = () => late;

/** For all tests of a file, with a clock that stands still. */
export function playThreads(): void {
  beforeEach(() => {
    startedThreads.length = 0;
    late = 0;
    threads.Worker = PlayedThread as unknown as typeof Worker;
    syncBuiltinESMExports();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    timersLeft = countTimers('/markdown/render-thread.ts');
  });
  afterEach(() => {
    vi.useRealTimers();
    threads.Worker = Worker;
    syncBuiltinESMExports();
  });
}

/** How many timers of the render thread are running. */
export let timersLeft: () => number;

export const pass = (millis: number) => vi.advanceTimersByTimeAsync(millis);
export const settled = () => pass(0);

/** The answer once it is there. */
export function ask(thread: RenderThread, markdown = 'text') {
  const asked: { answer?: RenderThreadAnswer; error?: unknown } = {};
  const onLate = () => {
    late += 1;
  };
  thread.run(request(markdown), onLate).then(
    answer => Object.assign(asked, { answer }),
    (error: unknown) => Object.assign(asked, { error }),
  );
  return asked;
}

/** A thread that is loaded, for 40 ms of processor time, and has a text. */
export async function atWork(over: Partial<RenderThreadLimits> = {}) {
  const thread = new RenderThread({ ...limits, ...over });
  const asked = ask(thread);
  await settled();
  const worker = startedThreads.at(-1)!;
  // Its start counts for no text, by the clock either.
  await pass(70);
  worker.user = 40;
  worker.load(40);
  await settled();
  return { thread, asked, worker };
}
