import { expect, test } from 'vitest';
import { fuzz } from './support/fuzzing.ts';

test('100,000 mutations of signed Responses: none signs in anyone else, none crashes', async () => {
  const seed = Date.now() >>> 0;
  const result = await fuzz(100_000, seed);
  console.info(`seed ${seed}: ${JSON.stringify({ tried: result.tried, harmless: result.harmless, refusals: result.refusals })}`);
  expect(result.forged).toEqual([]);
  expect(result.crashed).toEqual([]);
});
