import { describe, expect, it } from 'vitest';
import { findMatches, mostMatches, type Query, replaceMatches, replacementOf } from './find-matches.ts';

const query = (words: string, changes: Partial<Query> = {}): Query => ({
  words,
  matchCase: false,
  wholeWords: false,
  expression: false,
  ...changes,
});
const found = (text: string, asked: Query) => findMatches(text, asked).matches.map(({ from, to }) => text.slice(from, to));

describe('finds', () => {
  it.each([
    ['a B b', query('b'), ['B', 'b']],
    ['a B b', query('b', { matchCase: true }), ['b']],
    ['Straße STRASSE', query('straße'), ['Straße']],
    ['cat concat cat_', query('cat', { wholeWords: true }), ['cat']],
    ['naïve naïveté', query('naïve', { wholeWords: true }), ['naïve']],
    // The accent is a character of its own.
    ['nai nai\u0308s', query('nai', { wholeWords: true }), ['nai']],
    ['a.b a+b', query('a.b'), ['a.b']],
    ['[x](y) \\d $1', query('\\d $1'), ['\\d $1']],
    ['one two\nthree', query('^\\w+', { expression: true }), ['one', 'three']],
    ['😀 a', query('.', { expression: true }), ['😀', ' ', 'a']],
    ['a', query(''), []],
  ])('%s: %o', (text, asked, expected) => {
    expect(found(text, asked)).toEqual(expected);
  });

  it('says when there are more than it lists', () => {
    const text = 'a'.repeat(mostMatches + 1);
    expect(findMatches(text, query('a'))).toMatchObject({ more: true, matches: { length: mostMatches } });
    expect(findMatches(text.slice(1), query('a')).more).toBe(false);
  });

  it('says that an expression is none', () => {
    expect(() => findMatches('a', query('(', { expression: true }))).toThrow('This is not a regular expression.');
  });
});

describe('replaces', () => {
  it.each([
    ['a b A', query('a'), 'x', 'x b x', 2],
    ['a', query('a'), '$& $1 \\n', '$& $1 \\n', 1],
    ['2026-03', query('(\\d+)-(\\d+)', { expression: true }), '$2/$1', '03/2026', 1],
    ['a b', query('(?<w>\\w)', { expression: true }), '[$<w>$&$$$9]\\n', '[aa$$9]\n [bb$$9]\n', 2],
    ['a', query('a', { expression: true }), '\\\\n\\t\\x', '\\n\t\\x', 1],
    ['a\nb', query('^', { expression: true }), '> ', '> a\n> b', 2],
    ['none', query('x'), 'y', 'none', 0],
  ])('%s: %o with %s', (text, asked, words, expected, count) => {
    expect(replaceMatches(text, asked, words)).toEqual({ text: expected, count });
  });

  it('one, and not what is no longer a match', () => {
    const asked = query('(b)', { expression: true });
    expect(replacementOf('abab', asked, '<$1>', { from: 3, to: 4 })).toBe('<b>');
    expect(replacementOf('abab', asked, '<$1>', { from: 2, to: 3 })).toBeUndefined();
    expect(replacementOf('abb', query('b+', { expression: true }), 'x', { from: 1, to: 2 })).toBeUndefined();
  });

  it('makes no text that no page could hold', () => {
    expect(() => replaceMatches('a'.repeat(10_000), query('a'), 'x'.repeat(1_000))).toThrow('The page would become too long.');
  });
});
