import { expect, it, vi } from 'vitest';
import { readShortText } from './short-text.ts';

it.each([
  [' a\r\nb\rc \n', 'a\nb\nc'],
  ['', ''],
  ['\r\n'.repeat(9), ''],
  ['😀'.repeat(10), '😀'.repeat(10)],
  [`a${'\r\n'.repeat(8)}b`, `a${'\n'.repeat(8)}b`],
  [`${' '.repeat(99)}a${' '.repeat(99)}`, 'a'],
])('%j is tidied', (given, text) => expect(readShortText(given, 'body', 10)).toBe(text));

const tooLong = expect.objectContaining({
  code: 'invalid',
  extras: expect.objectContaining({ errors: [{ path: 'body', message: 'must have at most 10 characters' }] }),
});

it.each(['x'.repeat(11), '😀'.repeat(11), `a${'\r\n'.repeat(9)}b`, `a${'\r'.repeat(19)}b`])('%j is too long', given => {
  expect(() => readShortText(given, 'body', 10)).toThrow(tooLong);
});

it('of a text that is much too long no character is counted', () => {
  const counted = vi.spyOn(String.prototype, Symbol.iterator);
  const replaced = vi.spyOn(String.prototype, 'replace');
  try {
    expect(() => readShortText(`a${'\r😀'.repeat(7)}`, 'body', 10)).toThrow(tooLong);
    expect([counted.mock.calls, replaced.mock.calls]).toEqual([[], []]);
  } finally {
    vi.restoreAllMocks();
  }
});
