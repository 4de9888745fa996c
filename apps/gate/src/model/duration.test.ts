import { expect, test } from 'vitest';
import { readDuration } from './duration.ts';

test.each([
  ['1s', 1],
  ['90s', 90],
  ['15m', 900],
  ['8h', 28_800],
  ['2d', 172_800],
  ['999999s', 999_999],
])('%s are %d seconds', (text, seconds) => expect(readDuration(text)).toBe(seconds));

test.each([
  ...['', '8', 'h', '0s', '08h', '-8h', '1.5h', '8H', '8 h', ' 8h', '8h ', '8hh', 'x8h', '1000000s', '8w', '1ms'],
  ...[8, null, undefined, ['8h']],
])('%j is none', text => expect(readDuration(text)).toBeUndefined());
