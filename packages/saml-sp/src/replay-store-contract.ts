import { strict as expect } from 'node:assert';
import type { ReplayStore } from './sp/replay.ts';

/** A rule that every replay store must satisfy. */
export interface ReplayStoreRule {
  name: string;
  run(store: ReplayStore): Promise<void>;
}

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);
const key = (): string => `contract:${crypto.randomUUID()}`;

/**
 * The contract of `ReplayStore`, for any test runner: `for (const rule of replayStoreContract) test(rule.name, () => rule.run(store))`.
 * The store must use the machine's clock.
 * @example for (const rule of replayStoreContract) test(rule.name, () => rule.run(new MyReplayStore()));
 */
export const replayStoreContract: readonly ReplayStoreRule[] = [
  {
    name: 'the first claim of a key holds, every later one does not',
    async run(store) {
      const one = key();
      expect.equal(await store.claim(one, inSeconds(60)), true);
      expect.equal(await store.claim(one, inSeconds(60)), false);
      expect.equal(await store.claim(one, inSeconds(3600)), false);
    },
  },
  {
    name: 'of fifty claims at once exactly one holds',
    async run(store) {
      const one = key();
      const answers = await Promise.all(Array.from({ length: 50 }, () => store.claim(one, inSeconds(60))));
      expect.equal(answers.filter(Boolean).length, 1);
    },
  },
  {
    name: 'keys do not touch each other, whatever their case',
    async run(store) {
      const one = key();
      expect.equal(await store.claim(`${one}a`, inSeconds(60)), true);
      expect.equal(await store.claim(`${one}A`, inSeconds(60)), true);
      expect.equal(await store.claim(`${one}a `, inSeconds(60)), true);
    },
  },
  {
    name: 'a key of 200 characters is kept whole',
    async run(store) {
      const long = key().padEnd(199, 'x');
      expect.equal(await store.claim(`${long}1`, inSeconds(60)), true);
      expect.equal(await store.claim(`${long}2`, inSeconds(60)), true);
      expect.equal(await store.claim(`${long}1`, inSeconds(60)), false);
    },
  },
  {
    name: 'a key may be claimed again when its time is over',
    async run(store) {
      const one = key();
      expect.equal(await store.claim(one, inSeconds(-1)), true);
      expect.equal(await store.claim(one, inSeconds(60)), true);
    },
  },
];
