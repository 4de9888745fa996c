import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RequestTimeout } from './request-timeout.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('ends twenty seconds after nothing came', () => {
  const timeout = new RequestTimeout();
  timeout.waitFor(0);
  vi.advanceTimersByTime(19_999);
  expect(timeout.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(timeout.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

it('begins anew when the answer begins to come, and is longer for a long one', () => {
  const timeout = new RequestTimeout();
  timeout.waitFor(1_000_000);
  vi.advanceTimersByTime(110_000);
  timeout.waitFor(20_000_000);
  vi.advanceTimersByTime(2_000_000);
  expect(timeout.signal.aborted).toBe(false);
  timeout.waitFor(Number.NaN);
  vi.advanceTimersByTime(1_000_000);
  expect(timeout.signal.aborted).toBe(false);
  vi.advanceTimersByTime(100_000);
  expect(timeout.signal.aborted).toBe(true);
});
