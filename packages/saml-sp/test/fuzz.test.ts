import { expect, test } from 'vitest';
import { fuzz } from './support/fuzzing.ts';

test('1,500 mutations of signed Responses: none signs in anyone else, none crashes (100,000 in the long run)', async () => {
  const result = await fuzz(1_500, 20_261_120);
  expect(result.forged).toEqual([]);
  expect(result.crashed).toEqual([]);
  expect(Object.keys(result.refusals).length).toBeGreaterThan(8);
  expect(result.harmless).toBeGreaterThan(0);
});
