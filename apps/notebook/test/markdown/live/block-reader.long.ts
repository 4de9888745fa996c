import { expect, test } from 'vitest';
import { expectSameBlocks } from './expect-same-blocks.ts';
import { far, lively, written } from './texts.ts';

const minutes = Number(process.env.FUZZ_MINUTES ?? 5);
const texts = [written.repeat(4), `${lively}\n${far}`.repeat(6), `${far}\n${written}`.repeat(2), far.repeat(12)];

test('random edits: what is read around a change is what a whole reading would find', () => {
  const until = Date.now() + minutes * 60_000;
  let seed = 20_000;
  for (; Date.now() < until; seed += 1) expectSameBlocks(texts[seed % texts.length]!, seed, 64);
  console.log(`${seed - 20_000} writers`);
  expect(seed).toBeGreaterThan(20_000);
});
