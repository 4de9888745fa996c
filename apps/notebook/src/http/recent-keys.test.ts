import { expect, it } from 'vitest';
import { RecentKeys } from './recent-keys.ts';

it('what was asked for lately is known, and what was asked for long ago is not', () => {
  const asked = new RecentKeys(10);
  expect(asked.record('first')).toBe(false);
  expect(asked.record('first')).toBe(true);
  for (let other = 0; other < 9; other++) expect(asked.record(`other ${other}`)).toBe(false);
  expect(asked.record('first')).toBe(true);
  for (let other = 10; other < 30; other++) expect(asked.record(`other ${other}`)).toBe(false);
  expect(asked.record('first')).toBe(false);
});
