import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Patience } from './patience.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('ends twenty seconds after nothing came', () => {
  const patience = new Patience();
  patience.waitFor(0);
  vi.advanceTimersByTime(19_999);
  expect(patience.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(patience.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

it('begins anew when the answer begins to come, and is longer for a long one', () => {
  const patience = new Patience();
  patience.waitFor(1_000_000);
  vi.advanceTimersByTime(110_000);
  patience.waitFor(20_000_000);
  vi.advanceTimersByTime(2_000_000);
  expect(patience.signal.aborted).toBe(false);
  patience.waitFor(Number.NaN);
  vi.advanceTimersByTime(1_000_000);
  expect(patience.signal.aborted).toBe(false);
  vi.advanceTimersByTime(100_000);
  expect(patience.signal.aborted).toBe(true);
});
