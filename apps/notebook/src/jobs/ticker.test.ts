import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTicker } from './ticker.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('the first round leaves a starting process a quarter of a second for its first answers', async () => {
  let rounds = 0;
  const round = async () => {
    rounds += 1;
  };
  const ticker = createTicker(60_000, round, () => {});
  ticker.start();
  await vi.advanceTimersByTimeAsync(249);
  expect(rounds).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(rounds).toBe(1);
  await ticker.stop();
});

it('a ticker that is stopped before its first round never runs', async () => {
  let rounds = 0;
  const ticker = createTicker(
    500,
    async () => {
      rounds += 1;
    },
    () => {},
  );
  ticker.start();
  await ticker.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(rounds).toBe(0);
});

it('an outage of an hour is reported once a minute, with the number of failures in between', async () => {
  const reports: [string, number][] = [];
  let isDown = true;
  let rounds = 0;
  const round = async () => {
    rounds += 1;
    if (isDown) throw new Error('no database');
  };
  const ticker = createTicker(500, round, (error, more) => reports.push([(error as Error).message, more]));
  ticker.start();
  await vi.advanceTimersByTimeAsync(250 + 3_600_000);
  expect(rounds).toBe(7_201);
  expect(reports.length).toBe(61);
  expect(reports.slice(0, 3)).toEqual([
    ['no database', 0],
    ['no database', 119],
    ['no database', 119],
  ]);
  isDown = false;
  await vi.advanceTimersByTimeAsync(600_000);
  isDown = true;
  await vi.advanceTimersByTimeAsync(500);
  expect(reports.length).toBe(62);
  await ticker.stop();
});

it('a failure of work that is done once a minute is reported each time', async () => {
  const reports: unknown[] = [];
  const ticker = createTicker(
    60_000,
    () => Promise.reject(new Error('no database')),
    error => reports.push(error),
  );
  ticker.start();
  await vi.advanceTimersByTimeAsync(250 + 300_000);
  expect(reports.length).toBe(6);
  await ticker.stop();
});
