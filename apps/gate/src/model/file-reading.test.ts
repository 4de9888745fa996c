import { expect, test } from 'vitest';
import { readPathFor } from './file-reading.ts';
import { type PathPattern, readPathPattern } from './path-pattern.ts';
import type { Rule } from './rule.ts';

const rulesFor = (paths: readonly string[], ignoreCase = true): Rule[] =>
  paths.map(path => ({ paths: [readPathPattern(path, ignoreCase) as PathPattern] }) as unknown as Rule);
const kindOf = (target: string, rules: Rule[]) => readPathFor(rules, encodeURI(target)).kind;

test.each([
  '/\u017fecret',
  '/secret.',
  '/secret...',
  '/secret ',
  '/secret. .',
  '/secret::$DATA',
  '/secret::$data',
  '/secret:$I30:$INDEX_ALLOCATION/x',
  '/Secret./x',
  '/secret /x',
  '/se\u034fcret',
  '/secret\u3164',
  '/stra\u00dfe',
  '/STRA\u1e9eE/x',
  '/of\ufb01ce',
  '/\u03bf\u03b4\u03bf\u03c3',
])('%j is refused beside rules for what a file system may take it for, and only there', target => {
  expect(kindOf(target, rulesFor(['/secret/**', '/strasse/**', '/office', '/\u039f\u0394\u039f\u03a3', '/**']))).toBe('refused');
  expect(kindOf(target, rulesFor(['/other/**', '/**']))).toBe('path');
  expect(kindOf(target, rulesFor(['/secret/**', '/strasse/**', '/office', '/**'], false))).toBe('path');
});

test.each([
  '/secret',
  '/SECRET/',
  '/Secret/x',
  '/secret.txt',
  '/secret:list',
  '/secret-1',
  '/stra\u00dfe',
  '/x.',
  '/x::$DATA',
  '/a b',
  '/',
])('%j has one reading', target => {
  expect(kindOf(target, rulesFor(['/secret/**', '/stra\u00dfe', '/**']))).toBe('path');
});

test('a rule that is written like no file is matched as it is written', () => {
  expect(kindOf('/v1./x', rulesFor(['/v1./x', '/**']))).toBe('path');
  expect(kindOf('/v1/x', rulesFor(['/v1./x', '/**']))).toBe('refused');
});
