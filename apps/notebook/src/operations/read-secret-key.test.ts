import { describe, expect, it } from 'vitest';
import { readSecretKey } from './read-secret-key.ts';

const strong = 'k'.repeat(32);
const weak = 'k'.repeat(31);

/** A database that keeps its first key. */
function keeping() {
  let kept: string | undefined;
  return { getSecret: async (_name: string, make: () => string) => (kept ??= make()), kept: () => kept };
}

describe('the key that signs cookies', () => {
  it('is the operator’s if it has 32 characters, and the database keeps none', async () => {
    const store = keeping();
    expect(await readSecretKey(store, strong)).toBe(strong);
    expect(store.kept()).toBeUndefined();
  });

  it('is generated once and kept, if the operator gives none', async () => {
    const store = keeping();
    const key = await readSecretKey(store, undefined);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(await readSecretKey(store, undefined)).toBe(key);
    expect(await readSecretKey(keeping(), undefined)).not.toBe(key);
  });

  it('is made of both if the operator’s is short: the same in every process, another with another key or database', async () => {
    const store = keeping();
    const key = await readSecretKey(store, weak);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(key).not.toBe(store.kept());
    expect(await readSecretKey(store, weak)).toBe(key);
    expect(await readSecretKey(store, 'k')).not.toBe(key);
    expect(await readSecretKey(keeping(), weak)).not.toBe(key);
  });
});
