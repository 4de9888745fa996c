import { expect, it } from 'vitest';
import { RecentKeys } from './recent-keys.ts';

it('what was asked for lately is known, and what was asked for long ago is not', () => {
  const asked = new RecentKeys(1_024);
  const name = (number: number) => `/n/notebook-${number}`;
  const known = (from: number, count: number) =>
    Array.from({ length: count }, (_, number) => asked.record(name(from + number))).filter(Boolean).length;
  expect(known(0, 100)).toBe(0);
  expect(asked.record(name(99))).toBe(true);
  // Few of 100 in 1,024 slots share one.
  expect(known(0, 100)).toBeGreaterThan(85);
  expect(known(1_000, 10_000)).toBeLessThan(10);
  expect(known(0, 100)).toBeLessThan(5);
});

it('keys that differ in one character spread over all slots', () => {
  const asked = new RecentKeys(256);
  const once = Array.from({ length: 200 }, (_, number) => `/n/${number.toString(36).padStart(10, 'a')}`);
  for (const key of once) asked.record(key);
  // Thrown at random, 92 of 200 keys have one of 256 slots to themselves.
  expect(once.filter(key => asked.record(key)).length).toBeGreaterThan(70);
});
