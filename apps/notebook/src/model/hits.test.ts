import { describe, expect, it } from 'vitest';
import { cutIntoSegments, findHits, markHits } from './hits.ts';
import { readSearchWords } from './search-text.ts';

const word = (text: string, whole = false) => ({ text, whole });

describe('where words stand', () => {
  it.each([
    ['as it was written', 'A Café here', [word('cafe')], [[2, 6]]],
    ['of marks apart from their letter', 'Cafe\u0301!', [word('cafe')], [[0, 5]]],
    ['a whole word alone', 'a cat at it', [word('at', true)], [[6, 8]]],
    ['every time', 'ab ab', [word('ab')], [[0, 2], [3, 5]]], // biome-ignore format: a row
    ['overlapping themselves', 'aaaa', [word('aaa')], [[0, 4]]],
    ['one beside the other', 'abcd', [word('cd'), word('ab')], [[0, 4]]],
    ['one within the other', 'abcdef', [word('bc'), word('abcdef')], [[0, 6]]],
    ['from the same place, of two lengths', 'abcdef', [word('abc'), word('ab')], [[0, 3]]],
    ['in half of what one character became', '㌔ x', [word('キ')], [[0, 1]]],
    ['in Hangul that is not composed', '\u1112\u1161\u11ab x', [word('한')], [[0, 3]]],
    ['outside of the first plane', '😀 word', [word('word')], [[3, 7]]],
    ['nowhere', 'abc', [word('x')], []],
  ] as const)('%s', (_, text, words, ranges) => expect(findHits(text, words)).toEqual(ranges));
});

describe('a text in pieces', () => {
  it('has each range as a piece, and what is between', () => {
    const ranges = [[0, 1], [2, 3], [3, 4]] as const; // biome-ignore format: a row
    expect(cutIntoSegments('abcde', ranges)).toEqual([
      { text: 'a', hit: true },
      { text: 'b', hit: false },
      { text: 'c', hit: true },
      { text: 'd', hit: true },
      { text: 'e', hit: false },
    ]);
  });

  it('leaves out ranges past its end, and those that go back', () => {
    expect(cutIntoSegments('abc', [[1, 3], [2, 3], [2, 9]])).toEqual([{ text: 'a', hit: false }, { text: 'bc', hit: true }]); // biome-ignore format: a row
    expect(cutIntoSegments('abc', [[1, 9]])).toEqual([{ text: 'abc', hit: false }]); // biome-ignore format: a row
    expect(cutIntoSegments('', [])).toEqual([]);
  });

  it('marks what a query asks for', () => {
    expect(markHits('A plan', readSearchWords('PLAN'))).toEqual([
      { text: 'A ', hit: false },
      { text: 'plan', hit: true },
    ]);
  });
});
