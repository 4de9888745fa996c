import { expect, test } from 'vitest';
import { expectSameAfterEdits } from './expect-same.ts';
import { lively, written } from './texts.ts';

const minutes = Number(process.env.FUZZ_MINUTES ?? 10);

test('random edits: the preview by parts is the server’s page, byte for byte', () => {
  const until = Date.now() + minutes * 60_000;
  let seed = 10_000;
  for (; Date.now() < until; seed += 1) expectSameAfterEdits(seed % 4 === 0 ? written : lively, seed, seed % 4 === 0 ? 25 : 60);
  console.log(`${seed - 10_000} writers`);
  expect(seed).toBeGreaterThan(10_000);
});
