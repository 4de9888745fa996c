import { expect, test } from 'vitest';
import { type FuzzReport, fuzzCallbacks, fuzzTokens } from './support/fuzz.ts';

const started = performance.now();

function say(what: string, report: FuzzReport): void {
  const codes = [...report.codes].sort((left, right) => right[1] - left[1]).map(([code, count]) => `${code} ${count}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(
    `${what}: ${report.given} given, ${report.bad.length} bad, ${report.outbound.length} requests, ${report.keyFetches} key fetches, ${seconds} s; ${codes.join(', ')}\n`,
  );
}

test.each([11, 12])(
  '25,000 mutated tokens (seed %i): none accepted, none crashes, no request but the bounded ones for keys',
  async seed => {
    const report = await fuzzTokens(25_000, seed);
    say(`tokens, seed ${seed}`, report);
    expect(report).toMatchObject({ given: 25_000, bad: [], outbound: [] });
    expect(report.keyFetches).toBeLessThanOrEqual(2);
  },
);

test('50,000 mutated callbacks: none accepted, none crashes, no request', async () => {
  const report = await fuzzCallbacks(50_000, 13);
  say('callbacks, seed 13', report);
  expect(report).toMatchObject({ given: 50_000, bad: [], outbound: [], keyFetches: 0 });
});
