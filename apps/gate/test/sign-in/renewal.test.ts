import { openStore, type SignInStore, StoreError } from '@octavo/sign-in-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A provider that rotates refresh tokens takes each of them once. A second use of one looks like theft to it.

let provider: SmallProvider;
let gate: TestGate;
/** Another process of the same gate. */
let twin: TestGate;
let aheadMs = 0;
/** What happens at the twin before it may ask the provider, before it keeps the answer, and before it ends a session. */
let beforeClaim = async () => {};
let beforeChange = async () => {};
let beforeEnd = async () => {};
/** The refresh token that the provider takes next. */
let current = '';
let renewals = 0;
let groups: string[] = [];

const now = () => new Date(Date.now() + aheadMs);

beforeAll(async () => {
  provider = await startSmallProvider();
  provider.answers.revocationStatus = 200;
  const settings = {
    providers: [corpProvider(provider, { refresh: '1m' })],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  };
  gate = await startGate(settings, { overrides: { now } });
  const real = await openStore(gate.store, { now });
  const store = {
    ...real,
    replay: {
      ...real.replay,
      claim: async (key, until) => {
        if (key.startsWith('gate-refresh:')) await beforeClaim();
        return real.replay.claim(key, until);
      },
    },
    changeSessionByKey: async (key, version, value) => {
      await beforeChange();
      return real.changeSessionByKey(key, version, value);
    },
    endSession: async id => {
      await beforeEnd();
      return real.endSession(id);
    },
  } satisfies SignInStore;
  twin = await startGate({ ...settings, publicUrl: gate.origin }, { store: gate.store, overrides: { now, store } });
});

beforeEach(() => {
  beforeClaim = async () => {};
  beforeChange = async () => {};
  beforeEnd = async () => {};
  provider.answers.userInfoStatus = 200;
  provider.answers.revocationStatus = 200;
  provider.revoked.length = 0;
  for (const one of [gate, twin]) one.log.length = 0;
});

afterAll(async () => {
  for (const one of [twin, gate, provider]) await one?.[Symbol.asyncDispose]();
});

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map(text => text.split(';')[0])
    .join('; ');

async function tokens(nonce?: string): Promise<{ status: number; body: unknown }> {
  const at = Math.floor(now().getTime() / 1000);
  const claims = { iss: provider.issuer, aud: 'gate', sub: 'ada', iat: at, exp: at + 300, nonce, groups };
  current = crypto.randomUUID();
  const idToken = await provider.sign(claims as never);
  return { status: 200, body: { access_token: 'a', token_type: 'Bearer', refresh_token: current, id_token: idToken } };
}

async function startSignIn(userInfo: object): Promise<Response> {
  const started = await gate.fetch('/gate/sign-in?provider=corp', { headers: { accept: 'text/html' } });
  const asked = new URL(started.headers.get('location') ?? '').searchParams;
  groups = ['staff'];
  renewals = 0;
  provider.answers.userInfo = { sub: 'ada', ...userInfo };
  provider.answers.token = async form => {
    if (form.get('grant_type') !== 'refresh_token') return tokens(asked.get('nonce') ?? undefined);
    renewals += 1;
    return form.get('refresh_token') === current ? tokens() : { status: 400, body: { error: 'invalid_grant' } };
  };
  return gate.fetch(`/gate/corp/callback?code=c&state=${asked.get('state')}`, {
    headers: { accept: 'text/html', cookie: cookiesOf(started) },
  });
}

const signIn = async (userInfo: object = {}) => cookiesOf(await startSignIn(userInfo));

async function groupsAt(one: TestGate, cookie: string): Promise<unknown> {
  const answer = await one.fetch('/gate/me', { headers: { cookie } });
  return answer.ok ? (await answer.json()).groups : answer.status;
}

describe('a renewal at a provider that rotates refresh tokens', () => {
  test('takes what another process brought between our look at the session and our turn', async () => {
    const cookie = await signIn();
    aheadMs += 61_000;
    groups = ['guests'];
    beforeClaim = async () => {
      beforeClaim = async () => {};
      expect(await groupsAt(gate, cookie)).toEqual(['guests']);
    };
    expect(await groupsAt(twin, cookie)).toEqual(['guests']);
    expect(renewals).toBe(1);
    // The turn was given back: the next renewal is as good.
    aheadMs += 61_000;
    groups = ['staff'];
    expect(await groupsAt(twin, cookie)).toEqual(['staff']);
  });

  test('is over when another process ended the session between our look at it and our turn', async () => {
    const cookie = await signIn();
    aheadMs += 61_000;
    beforeClaim = async () => {
      await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie, origin: gate.origin } });
      renewals = 0;
    };
    expect(await groupsAt(twin, cookie)).toBe(401);
    expect(renewals).toBe(0);
  });

  test('is over when another process ended the session while the provider was asked', async () => {
    const cookie = await signIn();
    aheadMs += 61_000;
    beforeChange = async () => {
      await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie, origin: gate.origin } });
    };
    const first = current;
    expect(await groupsAt(twin, cookie)).toBe(401);
    expect(renewals).toBe(1);
    // Neither refresh token outlives the session.
    expect(current).not.toBe(first);
    await expect
      .poll(() => provider.revoked)
      .toEqual([
        [first, 'refresh_token'],
        [current, 'refresh_token'],
      ]);
    expect(twin.log).toEqual([]);
  });

  test('whose new refresh token cannot be revoked ends the session nevertheless, and the log says so', async () => {
    const cookie = await signIn();
    aheadMs += 61_000;
    beforeChange = async () => {
      await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie, origin: gate.origin } });
      provider.answers.revocationStatus = 400;
    };
    expect(await groupsAt(twin, cookie)).toBe(401);
    await expect.poll(() => provider.revoked.at(-1)).toEqual([current, 'refresh_token']);
    await expect
      .poll(() => twin.log)
      .toEqual([expect.objectContaining({ level: 'warn', message: 'could not revoke tokens', provider: 'corp' })]);
    expect(JSON.stringify(twin.log)).not.toContain(current);
  });

  test('that comes between a sign-out’s look at the session and its end is revoked with it', async () => {
    const cookie = await signIn();
    const first = current;
    beforeEnd = async () => {
      aheadMs += 61_000;
      expect(await groupsAt(gate, cookie)).toEqual(['staff']);
    };
    await twin.fetch('/gate/sign-out', { method: 'POST', headers: { cookie, origin: gate.origin } });
    expect(current).not.toBe(first);
    await expect.poll(() => [renewals, provider.revoked]).toEqual([1, [[current, 'refresh_token']]]);
    expect(await groupsAt(gate, cookie)).toBe(401);
  });

  test('is tried again while its answer is remembered, when the store failed to keep it', async () => {
    const cookie = await signIn();
    aheadMs += 61_000;
    groups = ['guests'];
    beforeChange = async () => {
      throw new StoreError('STORE_UNAVAILABLE');
    };
    expect(await groupsAt(twin, cookie)).toEqual(['staff']);
    beforeChange = async () => {};
    // Not at once: every request of a page would ask.
    aheadMs += 4_000;
    expect(await groupsAt(twin, cookie)).toEqual(['staff']);
    aheadMs += 2_000;
    expect(await groupsAt(twin, cookie)).toEqual(['guests']);
    expect(renewals).toBe(1);
    aheadMs += 61_000;
    expect(await groupsAt(twin, cookie)).toEqual(['guests']);
  });

  test.each([401, 403, 404, 500])('keeps the new refresh token when the UserInfo endpoint answers %i', async status => {
    const cookie = await signIn({ groups: ['staff'] });
    aheadMs += 61_000;
    provider.answers.userInfoStatus = status;
    // Nobody told anything new: what was known stays.
    expect(await groupsAt(gate, cookie)).toEqual(['staff']);
    expect(gate.log.at(-1)).toMatchObject({ level: 'warn', provider: 'corp', code: expect.stringMatching(/^OIDC_/) });
    provider.answers.userInfoStatus = 200;
    provider.answers.userInfo = { sub: 'ada', groups: ['guests'] };
    aheadMs += 61_000;
    groups = ['guests'];
    expect(await groupsAt(gate, cookie)).toEqual(['guests']);
    expect(renewals).toBe(2);
  });
});

describe('a UserInfo response about another subject is discarded (OpenID Connect Core §5.3.2)', () => {
  const foreign = { sub: 'mallory-4711', email: 'mallory@example.org', groups: ['admin'] };

  test('at a sign-in, which goes on with the claims of the ID Token', async () => {
    const answer = await startSignIn(foreign);
    expect(answer.status).toBe(303);
    const me = await (await gate.fetch('/gate/me', { headers: { cookie: cookiesOf(answer) } })).json();
    expect(me).toMatchObject({ subject: 'ada', email: null, groups: ['staff'] });
    const warning = gate.log.findLast(line => line.level === 'warn');
    expect(warning).toMatchObject({ provider: 'corp', code: 'OIDC_USERINFO_SUB' });
    expect(JSON.stringify(warning)).not.toMatch(/ada|mallory/);
  });

  test('at a renewal, which keeps the new refresh token and takes the claims of the new ID Token', async () => {
    const cookie = await signIn();
    aheadMs += 61_000;
    provider.answers.userInfo = foreign;
    groups = ['guests'];
    expect(await groupsAt(gate, cookie)).toEqual(['guests']);
    aheadMs += 61_000;
    groups = ['staff'];
    expect(await groupsAt(gate, cookie)).toEqual(['staff']);
  });
});
