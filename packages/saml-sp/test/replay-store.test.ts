import { describe, expect, test } from 'vitest';
import { replayStoreContract } from '../src/replay-store-contract.ts';
import { MemoryReplayStore, type ReplayStore } from '../src/sp/replay.ts';
import { refusal } from './support/refusal.ts';

describe('the in-memory replay store keeps the contract', () => {
  for (const rule of replayStoreContract) test(rule.name, () => rule.run(new MemoryReplayStore()));

  test('forgets only what has expired', async () => {
    let now = 0;
    const store = new MemoryReplayStore({ now: () => new Date(now) });
    for (let at = 0; at < 1000; at += 1) await store.claim(`k${at}`, new Date(at % 2 === 0 ? 60_000 : 300_000));
    now = 61_000;
    await store.claim('later', new Date(200_000));
    expect(store.size).toBe(501);
    expect([await store.claim('k0', new Date(300_000)), await store.claim('k1', new Date(300_000))]).toEqual([true, false]);
  });

  test('holds a key until its very end, and no longer', async () => {
    let now = 0;
    const store = new MemoryReplayStore({ now: () => new Date(now) });
    await store.claim('a', new Date(10));
    now = 9;
    expect(await store.claim('a', new Date(20))).toBe(false);
    now = 10;
    expect(await store.claim('a', new Date(20))).toBe(true);
  });

  test('refuses while full, and recovers', async () => {
    let now = 0;
    const store = new MemoryReplayStore({ now: () => new Date(now), maxEntries: 2 });
    expect([await store.claim('a', new Date(10)), await store.claim('b', new Date(10))]).toEqual([true, true]);
    expect(() => store.claim('c', new Date(10))).toThrow(refusal('SAML_STORE_UNAVAILABLE'));
    now = 20;
    expect(await store.claim('c', new Date(30))).toBe(true);
  });
});

describe('the contract catches stores that do not keep it', () => {
  const run = async (store: Pick<ReplayStore, 'claim'>) => {
    const outcomes = await Promise.allSettled(replayStoreContract.map(rule => rule.run({ release: () => {}, ...store })));
    return outcomes.some(outcome => outcome.status === 'rejected');
  };

  test.each<[string, () => Pick<ReplayStore, 'claim'>]>([
    ['always yes', () => ({ claim: async () => true })],
    ['always no', () => ({ claim: async () => false })],
    [
      'look, wait, then write',
      () => {
        const seen = new Map<string, number>();
        return {
          claim: async (key, until) => {
            const held = seen.get(key);
            await new Promise(done => setTimeout(done, 1));
            if (held !== undefined && held > Date.now()) return false;
            seen.set(key, until.getTime());
            return true;
          },
        };
      },
    ],
  ])('%s', async (_name, create) => expect(await run(create())).toBe(true));
});
