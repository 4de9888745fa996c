import { expect, it, vi } from 'vitest';
import type { Refusal } from '../errors.ts';
import { readShortText } from './short-text.ts';

it.each([
  [' a\r\nb\rc \n', 'a\nb\nc'],
  ['', ''],
  ['\r\n'.repeat(9), ''],
  ['😀'.repeat(10), '😀'.repeat(10)],
  [`a${'\r\n'.repeat(8)}b`, `a${'\n'.repeat(8)}b`],
  [`${' '.repeat(99)}a${' '.repeat(99)}`, 'a'],
])('%j is tidied', (given, text) => expect(readShortText(given, 'body', 10)).toBe(text));

const refused = (given: string) => {
  try {
    return readShortText(given, 'body', 10);
  } catch (error) {
    return (error as Refusal).extras.errors;
  }
};
const tooLong = (counted = '') => [{ path: 'body', message: `must have at most 10 characters${counted}` }];

it.each([
  ['x'.repeat(11), 11],
  ['😀'.repeat(11), 11],
  [`a${'\r\n'.repeat(9)}b`, 11],
  [`a${'\r'.repeat(19)}b`, 21],
  [` ${'\ud83d'.repeat(3)}\r${'é😀'.repeat(20_000)} `, 40_004],
])('a text that is too long is told how long (%#)', (given, chars) => {
  expect(refused(given)).toEqual(tooLong(`; it has ${chars}`));
});

it('of a text that is much too long no character is counted', () => {
  const counted = vi.spyOn(String.prototype, 'codePointAt');
  const replaced = vi.spyOn(String.prototype, 'replace');
  try {
    expect(refused('\r😀'.repeat(22_000))).toEqual(tooLong());
    expect([counted.mock.calls, replaced.mock.calls]).toEqual([[], []]);
  } finally {
    vi.restoreAllMocks();
  }
});
