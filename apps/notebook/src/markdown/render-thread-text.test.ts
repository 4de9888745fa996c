import { describe, expect, it } from 'vitest';
import {
  ask,
  atWork,
  lateCalls,
  pass,
  playThreads,
  rendered,
  settled,
  startedThreads,
  timersLeft,
} from '../../test/markdown/played-thread.ts';

playThreads();

describe('a text', () => {
  it('that takes too much processor time is given up; one that takes a second is called late', async () => {
    const { asked, worker } = await atWork();
    await pass(999);
    worker.user = 1_000;
    // System time counts too.
    worker.system = 40;
    expect(lateCalls()).toBe(0);
    await pass(1);
    expect(lateCalls()).toBe(1);
    worker.user = 2_999;
    await pass(2_000);
    // One millisecond is left, but the next check comes after ten at the earliest.
    expect([asked.answer, lateCalls()]).toEqual([undefined, 2]);
    worker.user = 3_000;
    await pass(9);
    expect(asked.answer).toBeUndefined();
    await pass(1);
    // A new thread costs as much as 300 ms.
    expect(asked.answer).toEqual({ outcome: 'time', usedMillis: 3_300 });
    expect([worker.ended, worker.keepsProcess, timersLeft(), lateCalls()]).toEqual([1, false, 0, 2]);
  });

  it('is charged for no more than it may take', async () => {
    const { asked, worker } = await atWork({ timeMillis: 200 });
    worker.user = 5_000;
    await pass(199);
    expect(asked.answer).toBeUndefined();
    await pass(1);
    expect([asked.answer, lateCalls()]).toEqual([{ outcome: 'time', usedMillis: 500 }, 0]);
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
    // All 40 ms were loading time, so it gets another second.
    expect(looks).toBe(1);
    worker.user = 440;
    await pass(1_000);
    expect(looks).toBe(2);
    worker.user = 1_540;
    await pass(599);
    expect(looks).toBe(2);
    await pass(1);
    expect([looks, lateCalls()]).toEqual([3, 1]);
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
    expect([worker.ended, timersLeft()]).toEqual([1, 0]);
  });

  it('that needs too much memory is told so, and charged by the clock', async () => {
    const { asked, worker } = await atWork();
    await pass(500);
    worker.emit('error', Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
    await settled();
    expect(asked.answer).toEqual({ outcome: 'memory', usedMillis: 800 });
    expect([worker.ended, timersLeft()]).toEqual([1, 0]);
  });

  it('whose thread breaks gets its error, and the next a new thread', async () => {
    const { thread, asked, worker } = await atWork();
    const broken = new Error('broken');
    worker.emit('error', broken);
    worker.stop();
    await settled();
    expect([asked.error, timersLeft()]).toEqual([broken, 0]);
    ask(thread);
    await settled();
    expect(startedThreads).toHaveLength(2);
  });

  it('whose thread stops without a word is not rendered now, and the next gets a new thread', async () => {
    const { thread, asked, worker } = await atWork();
    worker.stop();
    await settled();
    expect(asked.answer).toEqual({ outcome: 'busy', usedMillis: 300 });
    expect(timersLeft()).toBe(0);
    ask(thread);
    await settled();
    expect(startedThreads).toHaveLength(2);
  });

  it('is not touched by what a thread says that was given up', async () => {
    const { thread, asked, worker } = await atWork({ timeMillis: 200 });
    worker.user = 240;
    await pass(200);
    expect(asked.answer?.outcome).toBe('time');
    worker.stop();
    const next = ask(thread);
    await settled();
    startedThreads[1]!.load();
    await settled();
    // An error event without a listener would end the process.
    worker.emit('error', new Error('late'));
    worker.emit('exit', 1);
    worker.answer('old', 1);
    startedThreads[1]!.answer('new', 5);
    await settled();
    expect(next.answer).toEqual({ outcome: rendered('new'), usedMillis: 5 });
    ask(thread);
    await settled();
    expect([startedThreads.length, startedThreads[1]!.asked.length]).toEqual([2, 2]);
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
    // One second is used, which is not too much yet.
    resolve({ user: 1_500_000, system: 0 });
    await settled();
    expect([asked.answer?.outcome, lateCalls(), worker.ended]).toEqual([rendered('in time'), 0, 0]);
    // The timer that ends the idle thread.
    expect(timersLeft()).toBe(1);
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
    // Loading time is not subtracted here, so the next check is after 540 ms.
    await pass(540 + 999);
    worker.cpuUsage = says;
    await pass(1);
    expect(asked.answer).toBeUndefined();
    await pass(540);
    expect(asked.answer?.outcome).toBe('time');
  });
});
