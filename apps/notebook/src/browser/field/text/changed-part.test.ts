import { describe, expect, it } from 'vitest';
import { carryOver, changedPart } from './changed-part.ts';

describe('the part in which two texts differ', () => {
  it.each([
    ['', 'a', { from: 0, to: 0, insert: 'a' }],
    ['one two', 'one 2 two', { from: 4, to: 4, insert: '2 ' }],
    ['aaa', 'aaaa', { from: 3, to: 3, insert: 'a' }],
    ['abc', '', { from: 0, to: 3, insert: '' }],
  ])('%j, %j', (older, newer, part) => {
    expect(changedPart(older, newer)).toEqual(part);
  });

  it.each([
    // These emoji share their first code unit.
    ['a😀b', 'a😁b', { from: 1, to: 3, insert: '😁' }],
    ['a😀b', 'a🐀b', { from: 1, to: 3, insert: '🐀' }],
    ['😀', '😀😁', { from: 2, to: 2, insert: '😁' }],
    ['😀😁', '😁', { from: 0, to: 2, insert: '' }],
  ])('cuts no emoji in two: %j, %j', (older, newer, part) => {
    expect(changedPart(older, newer)).toEqual(part);
  });
});

it('of two emoji in the place of one, both stay whole', () => {
  expect(carryOver('a😀b', 'a😁b', 'a😂b')).toBe('a😂😁b');
});
