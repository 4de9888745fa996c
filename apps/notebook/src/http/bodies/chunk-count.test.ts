import { expect, it } from 'vitest';
import { ChunkCount } from './chunk-count.ts';

/** @returns how many of 100,000 chunks are accepted */
function taken(bytes: number): number {
  const count = new ChunkCount();
  let chunks = 0;
  while (chunks < 100_000 && count.add(bytes)) chunks += 1;
  return chunks;
}

it('takes as many chunks as one likes, when they carry something', () => {
  expect(taken(8)).toBe(100_000);
});

it('takes 4,096 chunks of a few bytes', () => {
  expect(taken(1)).toBe(4_096);
  expect(taken(7)).toBe(4_096);
});

it('forgives a body its small chunks for its large ones', () => {
  const count = new ChunkCount();
  expect(count.add(65_536 * 8)).toBe(true);
  for (let chunks = 0; chunks < 65_000; chunks++) expect(count.add(1)).toBe(true);
});
