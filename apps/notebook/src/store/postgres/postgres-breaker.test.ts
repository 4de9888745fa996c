import { afterEach, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { type Breaker, createBreaker } from './postgres-breaker.ts';

let breaker: Breaker;
afterEach(() => breaker.close());

/** A server whose every answer is given by hand. */
function open(options = { suspectAfterMs: 2, betweenProbesMs: 2 }) {
  const probes: PromiseWithResolvers<void>[] = [];
  breaker = createBreaker(() => {
    const probe = Promise.withResolvers<void>();
    probes.push(probe);
    return probe.promise;
  }, options);
  const probed = (count: number) => expect.poll(() => probes.length).toBe(count);
  return { probes, probed };
}
/** Work that is answered by hand. */
function start(changes = false) {
  const work = Promise.withResolvers<string>();
  const answer = breaker.run(() => work.promise, changes);
  const fault = answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { work, answer, fault };
}
const silence = new Error('no answer');

it('work that is answered in time asks for no probe, and fails in its own way', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { probes } = open({ suspectAfterMs: 1_000, betweenProbesMs: 2 });
  expect(await breaker.run(async () => 'rows', true)).toBe('rows');
  await expect(breaker.run(() => Promise.reject(new Error('syntax')), true)).rejects.toThrow('syntax');
  // Nobody is still waiting when the timeout passes.
  vi.advanceTimersByTime(2_000);
  vi.useRealTimers();
  expect(probes).toEqual([]);
});

it('while the server answers, work may take its time', async () => {
  const { probes, probed } = open();
  const [first, second] = [start(), start()];
  await probed(1);
  probes[0]!.resolve();
  first.work.resolve('rows');
  second.work.reject(new Error('syntax'));
  expect(await first.answer).toBe('rows');
  await expect(second.answer).rejects.toThrow('syntax');
  expect(await breaker.run(async () => 'more', false)).toBe('more');
});

it('when the server is silent, all who wait and all who come are told at once', async () => {
  const { probes, probed } = open();
  const [reads, writes] = [start(false), start(true)];
  await probed(1);
  probes[0]!.reject(silence);
  for (const [{ fault }, uncertain] of [
    [reads, false],
    [writes, true],
  ] as const) {
    expect(await fault).toBeInstanceOf(DatabaseUnavailable);
    expect(await fault).toMatchObject({ cause: silence, uncertain });
  }
  let begun = false;
  const next = breaker.run(async () => (begun = true), true);
  await expect(next).rejects.toMatchObject({ cause: silence, uncertain: false });
  expect(begun).toBe(false);
});

it('asks one question at a time until the server is back, and then everything runs', async () => {
  const { probes, probed } = open();
  const first = start();
  await probed(1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const second = start();
  vi.advanceTimersByTime(2);
  vi.useRealTimers();
  expect(probes).toHaveLength(1);
  probes[0]!.reject(silence);
  expect(await first.fault).toMatchObject({ cause: silence });
  expect(await second.fault).toMatchObject({ cause: silence });
  await probed(2);
  const other = new Error('still no answer');
  probes[1]!.reject(other);
  await probed(3);
  await expect(breaker.run(async () => 'rows', false)).rejects.toMatchObject({ cause: other });
  probes[2]!.resolve();
  await expect.poll(() => breaker.run(async () => 'rows', false).catch(() => 'down')).toBe('rows');
  // From now on, slow work sends another probe.
  const third = start();
  await probed(4);
  third.work.resolve('late');
  expect(await third.answer).toBe('late');
});

it('asks nothing more once it is closed', async () => {
  const { probes, probed } = open();
  const work = start();
  await probed(1);
  breaker.close();
  probes[0]!.reject(silence);
  work.work.resolve('rows');
  expect(await work.answer).toBe('rows');
  expect(await breaker.run(async () => 'rows', false)).toBe('rows');
  expect(probes).toHaveLength(1);
});
