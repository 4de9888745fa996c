import { expect, it } from 'vitest';
import { countText } from './count-words.ts';

it.each([
  ['', 0, 0],
  ['One, two: three.', 3, 16],
  ['# A title\n\n- it’s an item', 5, 25],
  ['日本語の文章', 3, 6],
  ['👩‍🚀', 0, 3],
])('%j has %i words and %i characters', (text, words, characters) => {
  expect(countText(text)).toEqual({ words, characters });
});

it('counts a megabyte too, by its spaces', () => {
  const { words } = countText('two words '.repeat(100_000));
  expect(words).toBe(200_000);
});
