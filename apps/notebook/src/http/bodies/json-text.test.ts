import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from './json-text.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What the parts say together, each read on its own. */
function readParts(written: string, partBytes: number): { text: string; longest: number } {
  const body = Buffer.from(`"${written}"`);
  const last = body.length - 1;
  let text = '';
  let longest = 0;
  for (let at = 1; at < last; ) {
    const next = last - at <= partBytes ? last : cutText(body, at, at + partBytes);
    expect(next).toBeGreaterThan(at);
    longest = Math.max(longest, next - at);
    text += JSON.parse(`"${utf8.decode(body.subarray(at, next))}"`);
    at = next;
  }
  return { text, longest };
}

const hex = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
const units = (character: string) => Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
/** A character as a client may write it. */
const written = fc
  .tuple(
    fc.oneof(fc.constantFrom('\\', '"', '\n', 'u', '0', 'é', '中', '😀', '\uFEFF'), fc.string({ unit: 'binary', maxLength: 1 })),
    fc.boolean(),
  )
  .map(([character, isEscaped]) => (isEscaped ? units(character).map(hex).join('') : JSON.stringify(character).slice(1, -1)));

test('a text that is read in parts says the same, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.array(written, { maxLength: 60 }), fc.integer({ min: 9, max: 20 }), (pieces, partBytes) => {
      const { text, longest } = readParts(pieces.join(''), partBytes);
      expect(text).toBe(JSON.parse(`"${pieces.join('')}"`));
      expect(longest).toBeLessThanOrEqual(partBytes);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['between characters', 'abcdefghijklmnop', 10],
  ['before a character of two bytes', 'abcdefghié', 9],
  ['before a character of four bytes', 'abcdefg😀', 7],
  ['before an escape', 'abcdefghi\\n', 9],
  ['before an escape with digits', 'abcde\\u0041', 5],
  ['before an escape whose last digit would be left', 'abcd\\u00415', 10],
  ['behind an escaped backslash', 'abcdefgh\\\\n', 10],
  ['before the escape behind an escaped backslash', 'abcdefg\\\\\\n', 9],
])('a cut after ten bytes is %s', (_, text, end) => {
  const body = Buffer.from(`"${text}and more"`);
  expect(cutText(body, 1, 11)).toBe(end + 1);
});
