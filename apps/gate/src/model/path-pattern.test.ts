import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PathPattern, readPathPattern } from './path-pattern.ts';

const pattern = (text: string, ignoreCase = false) => readPathPattern(text, ignoreCase) as PathPattern;

test.each([
  ['/', ['/'], ['/a']],
  ['/new', ['/new', '/new/'], ['/newer', '/new/x', '/', '/NEW']],
  ['/edit/*', ['/edit/x', '/edit/x/'], ['/edit', '/edit/', '/edit/x/y']],
  ['/n/**', ['/n', '/n/', '/n/a', '/n/a/b/c'], ['/nn', '/']],
  ['/**', ['/', '/a', '/a/b'], []],
  ['/a/**/z', ['/a/z', '/a/b/z', '/a/b/z/z'], ['/a', '/a/z/b', '/z']],
  ['/**/x/**/y', ['/x/y', '/a/x/b/y', '/x/x/y/y'], ['/y/x', '/x']],
])('%s', (text, fits, misses) => {
  for (const path of fits) expect([path, pattern(text).matches(path)]).toEqual([path, true]);
  for (const path of misses) expect([path, pattern(text).matches(path)]).toEqual([path, false]);
});

test('case counts unless it is said not to', () => {
  expect(pattern('/Admin/**', true).matches('/aDMIN/x')).toBe(true);
  expect(pattern('/Admin/**').matches('/admin/x')).toBe(false);
});

test('a letter with its mark is one, however the configuration is written', () => {
  for (const text of ['/caf\u00e9/**', '/cafe\u0301/**'])
    expect(pattern(text).matches('/caf\u00e9/x'.normalize('NFC'))).toBe(true);
});

test.each(['/a\u200b', '/a\uff0fb', '/a\u2024\u2024/b', '/\ud800', `/a${'\u0301'.repeat(32)}`])(
  '%j is no pattern: every request for it is refused',
  text => {
    expect(typeof readPathPattern(text, false)).toBe('string');
  },
);

test.each(['', 'a', '/a?b', '/a#', '/a*', '/*a', '/***', '/a//b', '/../x', '/%41', '/a\\b', '/a b', '/a;b', '/**/**/**/**/**'])(
  '%j is no pattern',
  text => {
    expect(typeof readPathPattern(text, false)).toBe('string');
  },
);

test.each([
  ['a', 'must start with a slash'],
  ['/a?b', 'without ?, #, ; or spaces'],
  ['/./x', 'dot segments'],
  ['/x/..', 'dot segments'],
  ['/a//b', 'empty segments'],
  ['/a*', 'whole segments'],
  ['/100%', 'written decoded'],
  ['/**/a/**/**/**/**', 'at most 4 times'],
  ['/a\u200b', 'such a request is refused: the path contains a character that servers read in different ways'],
  ['/\ud800', 'not Unicode'],
])('%j is no pattern, and the reason is told', (text, why) => {
  expect(readPathPattern(text, false)).toContain(why);
});

test('the root has no segment, and a plain path has only its own', () => {
  expect(pattern('/').segments).toEqual([]);
  expect(pattern('/a/b/').segments).toEqual(['a', 'b']);
});

test('covers another pattern exactly when no path fits that one alone', () => {
  const part = fc.constantFrom('a', 'b', '*', '**');
  const parts = fc.array(part, { maxLength: 4 });
  // `c` stands for every segment that no pattern names. Five segments are more than any pattern here can count.
  const paths = ['/'];
  for (const path of paths)
    if (path.length < 10) for (const segment of ['a', 'b', 'c']) paths.push(`${path === '/' ? '' : path}/${segment}`);
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const [mine, its] = [pattern(`/${one.join('/')}`), pattern(`/${other.join('/')}`)];
      expect(mine.covers(its)).toBe(paths.every(path => !its.matches(path) || mine.matches(path)));
    }),
    { numRuns: 2000 },
  );
});

test('agrees with a plain recursive reading, in bounded time', () => {
  const segment = fc.constantFrom('a', 'b', 'c');
  const slow = (p: string[], s: string[]): boolean => {
    if (p.length === 0) return s.length === 0;
    if (p[0] === '**') return slow(p.slice(1), s) || (s.length > 0 && slow(p, s.slice(1)));
    return s.length > 0 && (p[0] === '*' || p[0] === s[0]) && slow(p.slice(1), s.slice(1));
  };
  fc.assert(
    fc.property(
      fc.array(fc.oneof(segment, fc.constantFrom('*', '**')), { maxLength: 6 }),
      fc.array(segment, { maxLength: 8 }),
      (p, s) => {
        fc.pre(p.filter(one => one === '**').length <= 4);
        expect(pattern(`/${p.join('/')}`).matches(`/${s.join('/')}`)).toBe(slow(p, s));
      },
    ),
    { numRuns: 2000 },
  );
});
