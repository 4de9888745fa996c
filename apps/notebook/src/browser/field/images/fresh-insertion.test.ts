import { expect, it } from 'vitest';
import { settleInsertion, withBreak } from './fresh-insertion.ts';
import { placeholderText } from './placeholder.ts';

const [a, b, c] = ['aaaaaa', 'bbbbbb', 'cccccc'].map(id => placeholderText('p.png', id)) as [string, string, string];

it.each<[string, [string, string][], string]>([
  ['none settled', [], `${a}\n${b}\n${c}`],
  ['one arrived', [['bbbbbb', 'LINK']], `${a}\nLINK\n${c}`],
  ['one failed: its line goes', [['bbbbbb', '']], `${a}\n${c}`],
  ['the last failed', [['cccccc', '']], `${a}\n${b}`],
  [
    'all failed',
    [
      ['aaaaaa', ''],
      ['bbbbbb', ''],
      ['cccccc', ''],
    ],
    '',
  ],
])('three placeholders, %s', (_, settled, expected) => {
  expect(settleInsertion(`${a}\n${b}\n${c}`, new Map(settled))).toBe(expected);
});

it('the break behind images goes with the last of them', () => {
  const settled = (words: string) => settleInsertion(`${a}\n\n`, new Map([['aaaaaa', words]]));
  expect([settled('LINK'), settled('')]).toEqual(['LINK\n\n', '']);
});

it.each([
  ['one', '|', 'one'],
  ['one', 'words |', 'one'],
  ['one', 'words | more', 'one'],
  ['one\ntwo', 'words | more', 'one\ntwo\n'],
  ['one', '|# Title', 'one\n\n'],
  ['one', 'Words\n|- an item\n', 'one\n\n'],
  ['one', 'Words\n|\n# Title', 'one'],
])('%j into %j is %j', (images, marked, expected) => {
  const at = marked.indexOf('|');
  expect(withBreak(images, marked.replace('|', ''), { from: at, to: at })).toBe(expected);
});
