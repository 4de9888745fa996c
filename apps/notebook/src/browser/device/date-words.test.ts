import { expect, it } from 'vitest';
import { dayWords, exactWords, momentWords, timeWords } from './date-words.ts';

// Built from local numbers, so that the test holds in every time zone.
const at = new Date(2026, 10, 8, 14, 3, 7).getTime();

it.each([
  ['a day', dayWords(at), '8 November 2026'],
  ['a time', timeWords(at), '14:03'],
  ['a moment', momentWords(at), '8 November 2026 at 14:03'],
  ['a moment of the API', momentWords(new Date(at).toISOString()), '8 November 2026 at 14:03'],
  ['a moment to the second', exactWords(at), '8 November 2026 at 14:03:07'],
])('%s is said as on the pages of the server, whatever the language of the browser', (_, said, expected) => {
  expect(said).toBe(expected);
});
