import { expect, it } from 'vitest';
import { inPortions } from './delete-in-portions.ts';

const sizes = (...bytes: number[]) => bytes.map((bytes, at) => ({ id: `s${at}`, bytes }));

it('a portion of snapshots holds a mebibyte, or one that is longer, and every one is in a portion', () => {
  expect(inPortions([])).toEqual([]);
  expect(inPortions(sizes(600_000, 400_000, 100_000, 1_048_576, 1))).toEqual([['s0', 's1'], ['s2'], ['s3'], ['s4']]);
  expect(inPortions(sizes(2_000_000, 5))).toEqual([['s0'], ['s1']]);
});

it('a portion may be full to the last byte', () => {
  expect(inPortions(sizes(600_000, 448_576))).toEqual([['s0', 's1']]);
  expect(inPortions(sizes(600_000, 448_577))).toEqual([['s0'], ['s1']]);
  expect(inPortions(sizes(1_048_577, 1_024))).toEqual([['s0'], ['s1']]);
});

it('an empty snapshot counts for a kibibyte: its row is deleted, too', () => {
  const many = inPortions(sizes(...new Array(2_000).fill(0)));
  expect(many.map(portion => portion.length)).toEqual([1_024, 976]);
  expect(new Set(many.flat()).size).toBe(2_000);
});
