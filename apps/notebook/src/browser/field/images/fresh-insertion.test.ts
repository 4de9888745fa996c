import { expect, it } from 'vitest';
import { settleInsertion } from './fresh-insertion.ts';
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
