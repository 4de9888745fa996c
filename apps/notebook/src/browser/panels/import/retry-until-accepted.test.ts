import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { countTimers } from '../../../../../../tools/own-timers.ts';
import { ApiProblem } from '../../api/api-client.ts';
import { retryUntilAccepted, Stopped } from './retry-until-accepted.ts';

let timers: () => number;
beforeEach(() => {
  vi.useFakeTimers();
  timers = countTimers('/import/retry-until-accepted.ts');
});
afterEach(() => void vi.useRealTimers());

const refusal = (status: number, seconds?: number) =>
  new ApiProblem(new Response(null, { status, headers: seconds === undefined ? {} : { 'retry-after': `${seconds}` } }), {});

function start(refusals: readonly Error[]) {
  const stop = new AbortController();
  const left = [...refusals];
  const told: string[] = [];
  const work = vi.fn(async () => {
    const refused = left.shift();
    if (refused) throw refused;
    return 'done';
  });
  const waiting = { onTry: () => told.push('try'), onWait: (end: string) => told.push(end), signal: stop.signal };
  const result = retryUntilAccepted(work, waiting).catch((problem: unknown) => problem);
  return { work, told, stop, result };
}

it('waits as long as the service asks, and tries again', async () => {
  const { told, result } = start([refusal(429, 20), refusal(503, 1)]);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(told).toEqual(['try', 'in 20 seconds']);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual(['try', 'in 20 seconds', 'try', 'in 1 second']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await result).toBe('done');
  expect(timers()).toBe(0);
});

it.each([
  ['503 without a time', refusal(503)],
  ['429 without a time', refusal(429)],
  ['507 with a time', refusal(507, 5)],
  ['an error of another kind', new TypeError('no words')],
])('does not try again after %s', async (_, problem) => {
  const { work, result } = start([problem]);
  expect(await result).toBe(problem);
  expect(work).toHaveBeenCalledOnce();
});

it('stops at once while it waits, and tries nothing after that', async () => {
  const { work, stop, result } = start([refusal(429, 20)]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(timers()).toBe(1);
  stop.abort();
  expect(await result).toBeInstanceOf(Stopped);
  expect([work.mock.calls.length, timers()]).toEqual([1, 0]);
});

it('does not begin when it was stopped before', async () => {
  const work = vi.fn();
  const signal = AbortSignal.abort();
  await expect(retryUntilAccepted(work, { onTry: work, onWait: work, signal })).rejects.toThrow(Stopped);
  expect(work).not.toHaveBeenCalled();
});
