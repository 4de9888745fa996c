import { expect, test } from 'vitest';
import { Places } from './places.ts';

const nothing = () => {};

test('the visitor with most places loses the oldest to one with fewer', () => {
  const places = new Places();
  const ended: string[] = [];
  for (const name of ['a', 'b', 'c']) places.take('greedy', 3, () => ended.push(name));
  expect(places.take('other', 3, nothing)).toBeDefined();
  expect(ended).toEqual(['a']);
});

test('nobody loses a place to a visitor who would then have as many', () => {
  const places = new Places();
  const ended: string[] = [];
  for (const visitor of ['one', 'one', 'other']) places.take(visitor, 3, () => ended.push(visitor));
  expect(places.take('other', 3, nothing)).toBeUndefined();
  expect(places.take('one', 3, nothing)).toBeUndefined();
  expect(ended).toEqual([]);
});

test('a place is free once it was left, and only once', () => {
  const places = new Places();
  const first = places.take('one', 2, nothing)!;
  places.take('one', 2, nothing);
  places.leave(first);
  places.leave(first);
  expect(places.take('one', 2, nothing)).toBeDefined();
  expect(places.take('one', 2, nothing)).toBeUndefined();
});
