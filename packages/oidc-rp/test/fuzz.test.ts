import { expect, test } from 'vitest';
import { fuzzCallbacks, fuzzTokens } from './support/fuzz.ts';

// The short version; fuzz.long.ts gives 100,000.
test.each([1, 2])('refuses 1,000 mutated tokens (seed %i) without a crash or extra requests', async seed => {
  const report = await fuzzTokens(1_000, seed);
  expect(report).toMatchObject({ given: 1_000, bad: [], outbound: [] });
  expect(report.keyFetches).toBeLessThanOrEqual(2);
  // The mutations reach many checks, the signature among them.
  expect(report.codes.size).toBeGreaterThan(6);
  expect(report.codes.get('OIDC_JWT_SIGNATURE')).toBeGreaterThan(50);
});

test('refuses 1,000 mutated callbacks without a crash or a request', async () => {
  const report = await fuzzCallbacks(1_000, 3);
  expect(report).toMatchObject({ given: 1_000, bad: [], outbound: [], keyFetches: 0 });
  expect(report.codes.size).toBeGreaterThan(2);
});
