import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ask,
  atWork,
  limits,
  pass,
  playThreads,
  rendered,
  request,
  settled,
  startedThreads,
  timersLeft,
} from '../../test/markdown/played-thread.ts';
import { RenderThread } from './render-thread.ts';

playThreads();

describe('a thread that renders', () => {
  it('starts with the first text, bounded, with next to nothing of the process', async () => {
    const thread = new RenderThread(limits);
    expect(startedThreads).toEqual([]);
    ask(thread);
    await settled();
    const [program, options] = startedThreads[0]!.begun;
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
    expect(startedThreads[0]!.begun[1].resourceLimits).toMatchObject({ maxYoungGenerationSizeMb: nursery });
  });

  it('has its text only when its program is loaded, and counts the time of each text alone', async () => {
    const thread = new RenderThread(limits);
    const first = ask(thread, 'one');
    await settled();
    expect(startedThreads[0]!.asked).toEqual([]);
    startedThreads[0]!.load(40);
    await settled();
    expect(startedThreads[0]!.asked).toEqual([request('one')]);
    startedThreads[0]!.answer('<p>one</p>', 55);
    await settled();
    expect(first.answer).toEqual({ outcome: rendered('<p>one</p>'), usedMillis: 15 });
    const second = ask(thread, 'two');
    await settled();
    startedThreads[0]!.answer('<p>two</p>', 75);
    await settled();
    expect(second.answer).toEqual({ outcome: rendered('<p>two</p>'), usedMillis: 20 });
    const third = ask(thread, 'three');
    await settled();
    // A clock that goes backwards gives no time back.
    startedThreads[0]!.answer('', 74);
    await settled();
    expect([third.answer?.usedMillis, startedThreads.length]).toEqual([0, 1]);
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
    expect([next.answer?.usedMillis, startedThreads.length, worker.ended]).toEqual([10, 1, 0]);
  });

  it('keeps the process while it loads and while it works, and no longer', async () => {
    const thread = new RenderThread(limits);
    ask(thread);
    await settled();
    const [worker] = startedThreads;
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
    // Given up, because it got no processor for too long.
    await pass(40_000);
    expect(worker!.keepsProcess).toBe(false);
  });

  it('ends when it had no text for long enough, and the next text waits until it has stopped', async () => {
    const { thread, worker } = await atWork({ idleMillis: 1_000 });
    worker.answer('', 41);
    await pass(999);
    ask(thread);
    // It works longer than it may idle.
    await pass(1_500);
    worker.answer('', 42);
    await pass(999);
    expect(worker.ended).toBe(0);
    await pass(1);
    expect(worker.ended).toBe(1);
    const next = ask(thread);
    await settled();
    expect(startedThreads).toHaveLength(1);
    worker.stop();
    await settled();
    expect(startedThreads).toHaveLength(2);
    startedThreads[1]!.load(30);
    await settled();
    startedThreads[1]!.answer('<p>new</p>', 35);
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
    expect(timersLeft()).toBe(0);
    await pass(5_000);
    expect([isClosed, worker.ended]).toEqual([false, 1]);
    worker.stop();
    await closing;
    await new RenderThread(limits).close();
    expect(startedThreads).toHaveLength(1);
  });
});

describe('a program that does not load', () => {
  it('fails its text, and the next gets another thread', async () => {
    const thread = new RenderThread(limits);
    const first = ask(thread);
    await settled();
    startedThreads[0]!.stop();
    await settled();
    expect(first.error).toMatchObject({ name: 'AbortError' });
    expect(startedThreads[0]!.keepsProcess).toBe(false);
    const second = ask(thread);
    await settled();
    expect(startedThreads).toHaveLength(2);
    const broken = new Error('syntax');
    startedThreads[1]!.emit('error', broken);
    startedThreads[1]!.stop();
    await settled();
    expect(second.error).toBe(broken);
  });
});
