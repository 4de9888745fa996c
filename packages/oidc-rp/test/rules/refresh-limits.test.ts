import { describe, expect, test } from 'vitest';
import { OidcError } from '../../src/errors.ts';
import { RefreshFlights } from '../../src/refresh/refresh-flights.ts';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function signedIn() {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  return { op, rp, signIn: await signInAt(op, {}, rp) };
}

describe('names the damaged member when refusing a stored sign-in', () => {
  test.each([
    ['iss', 7, 'a string of 1 to 4096 characters'],
    ['sub', '', 'a string of 1 to 255 characters'],
    ['aud', null, 'a string of 1 to 4096 characters'],
    ['nonce', 7, 'a string of'],
    ['azp', '', 'a string of'],
    ['auth_time', 'yesterday', 'seconds since 1970'],
    ['auth_time', Number.POSITIVE_INFINITY, 'seconds since 1970'],
    ['sid', {}, 'a string of'],
  ])('claims.%s as %j', async (claim, value, expected) => {
    const { op, rp, signIn } = await signedIn();
    const claims = { ...signIn.claims, [claim]: value };
    const error = await errorOf(rp.refresh({ ...signIn, claims }));
    expect(error).toMatchObject({ code: 'OIDC_CONFIG_INVALID', check: `signIn.claims.${claim}` });
    expect(error.expected).toContain(expected);
    expect(op.asked('/token')).toBe(1);
  });

  test('an empty audience, or one that is not all text', async () => {
    const { rp, signIn } = await signedIn();
    for (const aud of [[], ['notes', 7] as string[]]) {
      const error = await errorOf(rp.refresh({ ...signIn, claims: { ...signIn.claims, aud } }));
      expect(error.check).toMatch(/^signIn\.claims\.aud/);
      expect(error.expected).toMatch(/, or (an array of at least 1 of strings|a string of)/);
    }
  });
});

describe('a refresh', () => {
  test('for another person or issuer is refused and names the claim', async () => {
    const { op, rp, signIn } = await signedIn();
    op.faults.idTokenClaims = claims => ({ ...claims, sub: 'sub-2' });
    expect(await errorOf(rp.refresh(signIn))).toMatchObject({ code: 'OIDC_REFRESH_IDENTITY', check: 'id_token.sub' });
    op.faults = {};
    const elsewhere = { ...signIn, claims: { ...signIn.claims, iss: 'https://other.example' } };
    expect((await errorOf(rp.refresh(elsewhere))).check).toBe('id_token.iss');
  });

  test('of a sign-in without a nonce works with and without one, and adds none', async () => {
    const { op, rp, signIn } = await signedIn();
    const { nonce: _, ...claims } = signIn.claims;
    const before = { ...signIn, claims };
    op.faults.idTokenClaims = given => without({ ...given, nonce: undefined });
    const refreshed = await rp.refresh(before);
    expect('nonce' in refreshed.claims).toBe(false);
    op.faults.idTokenClaims = given => ({ ...given, nonce: 'of another request' });
    expect((await rp.refresh(refreshed)).claims.nonce).toBe('of another request');
  });

  test('is still remembered when another refresh token is revoked', async () => {
    const { op, rp, signIn } = await signedIn();
    const other = await signInAt(op, {}, rp);
    const first = await rp.refresh(signIn);
    await rp.revoke(other.tokens.refreshToken!, 'refresh_token');
    expect((await rp.refresh(signIn)).tokens).toEqual(first.tokens);
  });
});

describe('remembers the answers to refreshes', () => {
  const itself = async <T>(answer: T): Promise<T> => answer;
  const unreadable = async (): Promise<never> => {
    throw new OidcError('OIDC_KEY_UNKNOWN', { check: 'jws.kid', cause: new Error('down') });
  };
  const flights = () => {
    let nowMs = 0;
    let count = 0;
    const kept = new RefreshFlights({ now: () => nowMs });
    const ask = (name: string, read = itself<number>) => kept.run([name], async () => (count += 1), read);
    const at = (time: number) => {
      nowMs = time;
    };
    return { kept, ask, at };
  };

  test('for less than ten seconds', async () => {
    const { ask, at } = flights();
    expect(await ask('a')).toBe(1);
    at(9_999);
    expect(await ask('a')).toBe(1);
    at(10_000);
    expect(await ask('a')).toBe(2);
  });

  test('up to a thousand, then drops the oldest but never one still running', async () => {
    const { kept, ask } = flights();
    let finish = (_: string) => {};
    const running = kept.run(['running'], () => new Promise<string>(done => (finish = done)), itself);
    for (let index = 1; index <= 1_000; index += 1) await ask(`t${index}`);
    // 1,001 are kept now; asking makes room for one more, at the cost of the oldest that has ended.
    expect(await ask('t1000')).toBe(1_000);
    expect(await ask('t1')).toBe(1_001);
    const joined = kept.run(['running'], async () => 'a second request', itself);
    finish('the first request');
    expect(await Promise.all([running, joined])).toEqual(['the first request', 'the first request']);
  });

  test('for a minute after each try without the key set, then for ten seconds once checked', async () => {
    const { ask, at } = flights();
    await errorOf(ask('a', unreadable));
    at(59_999);
    await errorOf(ask('a', unreadable));
    at(119_998);
    expect(await ask('a')).toBe(1);
    at(129_997);
    expect(await ask('a')).toBe(1);
    at(129_998);
    expect(await ask('a')).toBe(2);
    await errorOf(ask('b', unreadable));
    at(189_998);
    expect(await ask('b')).toBe(4);
  });

  test('for ten seconds if the tokens were refused', async () => {
    const { ask, at } = flights();
    const refused = async () => {
      throw new OidcError('OIDC_REFRESH_IDENTITY', { check: 'id_token.sub' });
    };
    await errorOf(ask('a', refused));
    at(9_999);
    expect(await ask('a')).toBe(1);
    at(10_000);
    expect(await ask('a')).toBe(2);
  });

  test('longest if unchecked, but never more than a thousand', async () => {
    const { ask } = flights();
    await errorOf(ask('unread', unreadable));
    for (let index = 2; index <= 1_002; index += 1) await ask(`t${index}`);
    expect(await ask('unread')).toBe(1);
    const all = flights();
    for (let index = 1; index <= 1_001; index += 1) await errorOf(all.ask(`t${index}`, unreadable));
    expect(await all.ask('t1001')).toBe(1_001);
    expect(await all.ask('t1')).toBe(1_002);
  });

  test('but no failure, and nothing revoked while unchecked', async () => {
    const { kept, ask } = flights();
    await expect(kept.run(['a'], () => Promise.reject(new Error('down')), itself)).rejects.toThrow('down');
    expect(await ask('a')).toBe(1);
    await errorOf(ask('b', unreadable));
    kept.forget('b');
    expect(await ask('b')).toBe(3);
  });
});
