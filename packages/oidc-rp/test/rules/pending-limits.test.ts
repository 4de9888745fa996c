import { CompactEncrypt } from 'jose';
import { describe, expect, test } from 'vitest';
import { MemoryReplayStore, PendingCookies, readReturnTo } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// Found by mutation testing: each of these could be lost without another test noticing.

const op = await FakeOp.start();
const rp = op.relyingParty();
const now = () => new Date(op.nowMs);
const key = Uint8Array.from({ length: 32 }, (_, at) => at);
const cookies = (options = {}) => new PendingCookies({ keys: [key], now, ...options });
const pairOf = (line = '') => line.split(';')[0]!;

async function kept() {
  const { pending } = await rp.startSignIn();
  const [line] = await cookies().keep(pending, null);
  return { pending, line: line!, pair: pairOf(line), name: pairOf(line).split('=')[0]! };
}

describe('the cookie of a sign-in under way', () => {
  test('belongs to this host alone, and crosses sites only for a form', async () => {
    const shape = (sameSite: string) =>
      new RegExp(`^__Host-oidc-[0-9a-z]+-[\\w-]{12}=[\\w.-]+; Path=/; HttpOnly; Secure; SameSite=${sameSite}; Max-Age=600$`);
    for (const [responseMode, sameSite] of [
      ['query', 'Lax'],
      ['form_post', 'None'],
      ['query.jwt', 'Lax'],
      ['form_post.jwt', 'None'],
    ] as const) {
      const { pending } = await op.relyingParty({ responseMode }).startSignIn();
      expect((await cookies().keep(pending, null))[0], responseMode).toMatch(shape(sameSite));
    }
  });

  test('names its length when it is too long', async () => {
    const { pending } = await rp.startSignIn({ tokenParameters: { note: 'b'.repeat(4_000) } });
    const { expected, received } = await errorOf(cookies().keep(pending, null));
    expect(expected).toBe('at most 3800 bytes as a cookie');
    expect(Number(/^(\d+) bytes$/.exec(String(received))?.[1])).toBeGreaterThan(5_300);
  });

  test('is found between other cookies and spaces', async () => {
    const { pending, pair, name } = await kept();
    const header = `a=b;   ${pair}  ; =; ${name}x`;
    const address = `/callback?state=${pending.state}`;
    expect((await cookies().take({ method: 'GET', url: address }, header)).pending).toEqual(pending);
  });

  test('is opened only if it was sealed as ours are', async () => {
    const { pending, name } = await kept();
    const sealed = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(pending)))
      .setProtectedHeader({ alg: 'dir', enc: 'A128CBC-HS256' })
      .encrypt(key);
    const address = `https://rp.example/callback?state=${pending.state}`;
    expect((await cookies().take(address, `${name}=${sealed}`)).pending).toBeUndefined();
  });

  test('is found only by a single state', async () => {
    const { pending, pair } = await kept();
    const form = { method: 'POST', url: '/callback', contentType: 'application/x-www-form-urlencoded' };
    const found = async (body: unknown) => (await cookies().take({ ...form, body } as never, pair)).pending;
    expect(await found({ state: pending.state, more: ['a', 'b'] })).toEqual(pending);
    expect(await found({ state: [pending.state] })).toBeUndefined();
    expect(await found(undefined)).toBeUndefined();
    for (const state of [7, null, {}, [pending.state]]) {
      const response = await op.sign(op.claims({ state }));
      const taken = await cookies().take(`https://rp.example/callback?response=${response}`, pair);
      expect(taken.pending, JSON.stringify(state)).toBeUndefined();
    }
  });

  test('is dropped oldest first, whatever order the browser sends', async () => {
    const first = await kept();
    op.advance(5);
    const second = await kept();
    const { pending } = await rp.startSignIn();
    const lines = await cookies({ maxPending: 2 }).keep(pending, `${second.pair}; ${first.pair}`);
    expect(lines.slice(0, -1)).toEqual([`${first.name}=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0`]);
  });

  test('is ignored with an unsafe name, or after fifty others', async () => {
    const { pending } = await rp.startSignIn();
    const ended = async (header: string) => (await cookies({ maxPending: 1 }).keep(pending, header)).slice(0, -1);
    expect(await ended('__Host-oidc-1\tx=1; x__Host-oidc-1=1; __Host-oidc-(=1; __Host-oidc-1\r\nset-cookie: a=1')).toEqual([]);
    const many = Array.from({ length: 60 }, (_, at) => `__Host-oidc-${at}=1`).join('; ');
    expect(await ended(many)).toHaveLength(50);
  });
});

test('returns to a path of up to 2,048 characters', () => {
  expect(readReturnTo(`/${'x'.repeat(2047)}`)).toHaveLength(2048);
  expect(() => readReturnTo(`/${'x'.repeat(2048)}`)).toThrow(expect.objectContaining({ check: 'returnTo' }));
});

describe('the replay store in memory', () => {
  const at = (milliseconds: number) => new Date(milliseconds);

  test('frees a key when its time is over, to the millisecond', () => {
    let clock = 0;
    const store = new MemoryReplayStore({ now: () => at(clock) });
    expect([store.claim('a', at(10)), store.claim('a', at(10))]).toEqual([true, false]);
    clock = 9;
    expect(store.claim('a', at(20))).toBe(false);
    clock = 10;
    expect([store.claim('a', at(20)), store.claim('a', at(20))]).toEqual([true, false]);
  });

  test('forgets only expired keys, up to its limit', () => {
    let clock = 0;
    const store = new MemoryReplayStore({ now: () => at(clock) });
    for (let entry = 0; entry < 1_000; entry += 1) store.claim(`old ${entry}`, at(5));
    store.claim('lasting', at(1_000));
    clock = 10;
    expect(store.claim('next', at(1_000))).toBe(true);
    expect([store.claim('lasting', at(1_000)), store.claim('next', at(1_000))]).toEqual([false, false]);
    for (let entry = 0; entry < 99_998; entry += 1) store.claim(`more ${entry}`, at(1_000));
    expect(store.claim('lasting', at(1_000))).toBe(false);
    store.claim('one too many', at(1_000));
    expect(store.claim('next', at(1_000))).toBe(false);
    expect(store.claim('lasting', at(1_000))).toBe(true);
  });
});
