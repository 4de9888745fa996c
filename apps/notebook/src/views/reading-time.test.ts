import { expect, it } from 'vitest';
import { readingMinutes } from './reading-time.ts';

it.each([
  ['', 1],
  ['<p>a few words</p>', 1],
  [`<p>${'word '.repeat(660)}</p>`, 3],
  [`<p>${'字'.repeat(900)}</p>`, 2],
  [`<p class="${'many words '.repeat(500)}">a</p>`, 1],
])('%#', (html, minutes) => {
  expect(readingMinutes(html)).toBe(minutes);
});
