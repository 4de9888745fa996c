import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { cookiesOf, finishSignIn, startSignIn } from '../support/small-sign-in.ts';

// What counts when the ID Token says one thing and the UserInfo endpoint another, at the sign-in and at each renewal.

let provider: SmallProvider;
let gate: TestGate;
/** The gate's clock stands this much ahead, so that a renewal is due. */
let aheadMs = 0;

beforeAll(async () => {
  provider = await startSmallProvider();
  gate = await startGate(
    {
      providers: [corpProvider(provider, { refresh: '1m' })],
      rules: [{ paths: ['/**'], allow: { provider: 'corp', groups: ['staff'] } }],
    },
    { overrides: { now: () => new Date(Date.now() + aheadMs) } },
  );
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

type Claims = Record<string, unknown>;
const tokens = (more: object) => ({
  status: 200,
  body: { access_token: 'a', token_type: 'Bearer', refresh_token: crypto.randomUUID(), ...more },
});

/** @returns the cookie of a person of whom the two sources say this */
async function signIn(inToken: Claims, inUserInfo: Claims): Promise<string> {
  const told = { claims: inToken, userInfo: inUserInfo, tokens: { refresh_token: crypto.randomUUID() }, aheadMs };
  const back = await finishSignIn({ gate, provider }, await startSignIn(gate), told);
  expect(back.status).toBe(303);
  return cookiesOf(back);
}

const me = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).json();

describe('an address is verified by the word of its source', () => {
  const [mine, theirs] = ['ada@example.org', 'boss@example.org'];
  test.each([
    ['another address is verified', { email: theirs }, { email: mine, email_verified: true }, [theirs, false]],
    ['the same address is verified', { email: mine }, { email: mine, email_verified: true }, [mine, true]],
    ['only the other source has an address', {}, { email: mine, email_verified: true }, [mine, true]],
    ['the word stands in the other source, alone', { email_verified: true }, { email: mine }, [mine, false]],
    ['the same, the other way round', { email: mine }, { email_verified: true }, [mine, false]],
    ['the ID Token says no', { email: mine, email_verified: false }, { email: mine, email_verified: true }, [mine, false]],
  ])('%s', async (_name, inToken, inUserInfo, expected) => {
    const { email, emailTrusted } = await me(await signIn(inToken, inUserInfo));
    expect([email, emailTrusted]).toEqual(expected);
  });
});

describe('a renewal without an ID Token', () => {
  /** Signs in, then renews with nothing but an access token. */
  async function renewed(inToken: Claims, before: Claims, after: Claims): Promise<string> {
    const cookie = await signIn(inToken, before);
    expect((await me(cookie)).groups).toContain('staff');
    aheadMs += 61_000;
    provider.answers.token = async () => tokens({});
    provider.answers.userInfo = { sub: 'ada', ...after };
    return cookie;
  }

  test.each([
    ['groups in both', { groups: ['staff'] }, { groups: ['staff'] }, { groups: ['guests'] }, ['guests']],
    ['groups in both, and none any more', { groups: ['staff'] }, { groups: ['staff'] }, {}, []],
    ['groups of the UserInfo endpoint alone', {}, { groups: ['staff'] }, { groups: [] }, []],
    ['groups of the ID Token alone, of which nothing new is heard', { groups: ['staff'] }, {}, {}, ['staff']],
  ] as [string, Claims, Claims, Claims, string[]][])('%s', async (_name, inToken, before, after, groups) => {
    const cookie = await renewed(inToken, before, after);
    expect((await me(cookie)).groups).toEqual(groups);
    expect((await gate.fetch('/x', { headers: { cookie } })).status).toBe(groups.includes('staff') ? 404 : 403);
    // What the endpoint once spoke of stays its own to say.
    aheadMs += 61_000;
    provider.answers.userInfo = { sub: 'ada' };
    expect((await me(cookie)).groups).toEqual(Object.hasOwn(before, 'groups') ? [] : groups);
  });

  test('an address that is another one now is no longer verified by the old word', async () => {
    const old = { email: 'ada@example.org', email_verified: true };
    const cookie = await renewed({ groups: ['staff'], ...old }, {}, { email: 'new@example.org' });
    expect(await me(cookie)).toMatchObject({ email: 'new@example.org', emailTrusted: false });
  });

  test('a UserInfo endpoint that is down changes nothing, then or at the next renewal', async () => {
    const cookie = await signIn({ groups: ['staff'] }, { groups: ['staff'] });
    aheadMs += 61_000;
    provider.answers.token = async () => {
      provider.answers.isDown = true;
      return tokens({});
    };
    expect((await me(cookie)).groups).toEqual(['staff']);
    provider.answers.isDown = false;
    aheadMs += 61_000;
    provider.answers.token = async () => tokens({});
    provider.answers.userInfo = { sub: 'ada' };
    expect((await me(cookie)).groups).toEqual([]);
  });
});
