import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkRegexes } from './check-regexes.ts';
import { checkRegex } from './regexes/check-regex.ts';
import { readRegexesOf } from './regexes/read-regexes.ts';

describe('finds an expression with quadratic time', () => {
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

describe('accepts a linear expression', () => {
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

  test('reads every expression with its line', () => {
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

  test('reads what is an expression only when it runs', () => {
    const { regexes } = read(
      `globalThis.RegExp('x+$');\nnew window.RegExp('a/y+$', 'u');\n'a'.match('z+$');\n'a'.search('q+$');\nours.search('(');`,
    );
    expect(regexes.map(({ line, literal }) => [line, literal?.source, literal?.flags])).toEqual([
      [1, 'x+$', ''],
      [2, 'a\\/y+$', 'u'],
      [3, 'z+$', ''],
      [4, 'q+$', ''],
    ]);
  });

  test('excuses one statement, element or call, not what stands below it', () => {
    const excused = (text: string) => read(text).regexes.map(({ excuse }) => excuse !== undefined);
    expect(excused('// super-linear: a\nconst a = /x+$/;\nconst b = /y+$/;')).toEqual([true, false]);
    expect(excused('const a = [\n// super-linear: a\n/x+$/,\n/y+$/,\n];')).toEqual([true, false]);
    expect(excused('const a = b\n// super-linear: a\n.replace(/x+$/, b)\n.replace(/y+$/, b);')).toEqual([true, false]);
    expect(excused('// super-linear: a\nconst a = [\n/x+$/,\n/y+$/,\n];\nuse(/z+$/);')).toEqual([true, true, false]);
  });

  test('takes only a comment right above for an exception, not text that looks like one', () => {
    expect(read('// super-linear: two letters\nconst a = /x+$/;').regexes[0]!.excuse).toEqual({ line: 1, reason: 'two letters' });
    expect(read('// super-linear: far\n\n\n\n\nconst a = /x+$/;').regexes[0]!.excuse).toBeUndefined();
    expect(read('const s = "// super-linear: no";\nconst a = /x+$/;').excuses).toEqual([]);
  });
});

test('finds none without an exception in this repository', () => {
  expect(checkRegexes(path.join(import.meta.dirname, '..'))).toEqual([]);
});
