import { expect, it } from 'vitest';
import { foldForSearch } from './search-text.ts';

const chars = 20_000;
/** What 256 characters of the longest form may add. */
const allowance = 256 * 18;

it('is at most four times as long as its text, whatever character that repeats', () => {
  const tooLong: string[] = [];
  for (let code = 0x80; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const one = String.fromCodePoint(code);
    // Few change their length at all: only those are repeated.
    if (one.normalize('NFKC').length <= one.length && one.toLowerCase().length <= one.length) continue;
    const text = one.repeat(chars / one.length);
    if (foldForSearch(text).length > 4 * text.length + allowance) tooLong.push(code.toString(16));
  }
  expect(tooLong).toEqual([]);
});

it('finds words in their long forms where a text has them as people write', () => {
  expect(foldForSearch('a ﷺ b')).toBe(foldForSearch('a صلى الله عليه وسلم b'));
  expect(foldForSearch('㌔'.repeat(256))).toBe('キロ'.repeat(256));
  expect(foldForSearch('ﷺ'.repeat(300))).toBe(foldForSearch('ﷺ'.repeat(256) + '〓'.repeat(44)));
});
