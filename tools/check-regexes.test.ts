import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkRegexes } from './check-regexes.ts';
import { checkRegex } from './regexes/check-regex.ts';
import { readRegexesOf } from './regexes/read-regexes.ts';

describe('an expression that takes the square of its text is found', () => {
  // Each was once in this repository, or is of a kind that took services down elsewhere; the remark names a text that shows it.
  test.each([
    /\n+$/, // newlines, then a letter
    /^[ \t>]*(?:[-*+]|\d{1,9}[.)])?[ \t]*[|:-][-:| \t]*$/, // spaces, then |x
    /^[\s:|=*_-]+$/gm, // newlines, then a letter
    /[.,;:!?)\]}'"»…]+$/u, // brackets, then a letter
    /<a.*?<\/a>/s, // <a again and again
    /<h[1-6][^>]*>/, // <h1 again and again
    /([\w.:[\]-]*)\/e\/x/, // a long word
    /^(?:a+)+$/, // a's, then another letter: doubles with each
    /\s*\n\s*/g, // spaces
    /~{3,}.*$/, // tildes, then U+2028: even the third power
  ])('%s', regex => {
    expect(checkRegex(regex.source, regex.flags)).not.toEqual([]);
  });
});

describe('a linear one is not', () => {
  test.each([
    /^[^?#]*/,
    /<[^<>]*>/g,
    /(?<![\w.])([\w.]*)\/e\/x/,
    /[\s\p{Cc}]+/gu,
    /\p{L}+/gu,
    /^\s+$/,
    /a+b*$/y,
    /(?:^|[ \t])#+$/,
    /\[[^[\]]*\]\([^()]*\)/g,
    /^(?:a|b)+c/,
  ])('%s', regex => {
    expect(checkRegex(regex.source, regex.flags)).toEqual([]);
  });
});

describe('in a source file', () => {
  const read = (text: string) => readRegexesOf('x.ts', text);

  test('every expression is read, with its line', () => {
    const { regexes } = read(
      `const a = /x+$/gm;\nconst b = new RegExp('y+$', 'i');\nconst c = RegExp(\`\${a}z\`);\nnew RegExp(/q/);`,
    );
    expect(regexes.map(({ line, literal }) => [line, literal?.source])).toEqual([
      [1, 'x+$'],
      [2, 'y+$'],
      [3, undefined],
      [4, 'q'],
    ]);
  });

  test('an exception is a comment closely above, not a text that looks like one', () => {
    expect(read('// super-linear: two letters\nconst a = /x+$/;').regexes[0]!.excuse).toEqual({ line: 1, reason: 'two letters' });
    expect(read('// super-linear: far\n\n\n\n\nconst a = /x+$/;').regexes[0]!.excuse).toBeUndefined();
    expect(read('const s = "// super-linear: no";\nconst a = /x+$/;').excuses).toEqual([]);
  });
});

test('the repository has none without an exception', () => {
  expect(checkRegexes(path.join(import.meta.dirname, '..'))).toEqual([]);
});
