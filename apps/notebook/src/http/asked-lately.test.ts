import { expect, it } from 'vitest';
import { AskedLately } from './asked-lately.ts';

it('what was asked for lately is known, and what was asked for long ago is not', () => {
  const asked = new AskedLately(10);
  expect(asked.again('first')).toBe(false);
  expect(asked.again('first')).toBe(true);
  for (let other = 0; other < 9; other++) expect(asked.again(`other ${other}`)).toBe(false);
  expect(asked.again('first')).toBe(true);
  for (let other = 10; other < 30; other++) expect(asked.again(`other ${other}`)).toBe(false);
  expect(asked.again('first')).toBe(false);
});
