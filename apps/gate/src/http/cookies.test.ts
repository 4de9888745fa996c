import { expect, test } from 'vitest';
import { nameOfSetCookie, readCookies, withoutCookies } from './cookies.ts';

test.each([
  ['a=1; Path=/', 'a'],
  ['  a  = 1', 'a'],
  ['a', 'a'],
  ['=gate=1; Path=/', 'gate'],
  [' = gate =1', 'gate'],
  ['a; gate=1', 'a'],
  ['', ''],
  ['==', ''],
])('the cookie of %j comes back as %j', (value, name) => {
  expect(nameOfSetCookie(value)).toBe(name);
});

test('ours are taken out wherever they stand, the others stay as they are', () => {
  const isOurs = (name: string) => name === 'gate';
  for (const [header, rest] of [
    ['gate=1', ''],
    ['gate', ''],
    ['a=1; gate=2; b=3', 'a=1; b=3'],
    ['a=1;gate=2;  gate = 3;b="x', 'a=1; b="x'],
    ['gated=1; Gate=2', 'gated=1; Gate=2'],
  ] as const)
    expect(withoutCookies(header, isOurs)).toBe(rest);
  expect(readCookies('gate=1; a=gate=2;gate = 3 ; gate', 'gate')).toEqual(['1', '3']);
});
