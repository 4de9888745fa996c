import { openStore, type SignInStore, StoreError } from '@octavo/sign-in-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { finishSignIn, startSignIn } from '../support/small-sign-in.ts';

// What a provider says about sessions, and what anybody can say in its place.

let provider: SmallProvider;
let gate: TestGate;
/** What the store fails to do. */
let down: 'endings' | 'claims' | undefined;

beforeAll(async () => {
  provider = await startSmallProvider();
  // No room for logouts that anybody can send.
  const real = await openStore('sqlite::memory:', { limits: { maxTombstones: 0 } });
  const requireUp = (what: typeof down) => {
    if (down === what) throw new StoreError('STORE_UNAVAILABLE');
  };
  const store: SignInStore = {
    ...real,
    endSessions: async logout => {
      requireUp('endings');
      return real.endSessions(logout);
    },
    replay: {
      ...real.replay,
      claim: async (key, until) => {
        requireUp('claims');
        return real.replay.claim(key, until);
      },
    },
  };
  const asked = { frontChannelSessionRequired: false };
  const other = { ...corpProvider(provider, asked), id: 'other', name: 'Other', issuer: 'https://op.example' };
  gate = await startGate(
    { providers: [corpProvider(provider, asked), other], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
    { overrides: { store } },
  );
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

const frame = (query: Record<string, string>, cookie = '') =>
  gate.fetch(`/gate/corp/frontchannel-logout?${new URLSearchParams(query)}`, { headers: { cookie } });

async function backChannel(sid: string): Promise<Response> {
  const now = Math.floor(Date.now() / 1000);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const claims = { iss: provider.issuer, aud: 'gate', iat: now, exp: now + 60, jti: crypto.randomUUID(), events, sid };
  return gate.fetch('/gate/corp/backchannel-logout', {
    method: 'POST',
    body: new URLSearchParams({ logout_token: await provider.sign(claims, { typ: 'logout+jwt' }) }),
  });
}

/** A sign-in that such a logout overtakes. @returns the status of the gate's answer */
async function overtakenBy(sid: string, logout: () => Promise<Response>): Promise<number> {
  const started = await startSignIn(gate);
  expect((await logout()).status).toBe(200);
  return (await finishSignIn({ gate, provider }, started, { claims: { sid } })).status;
}

test('a signed logout always wins over a sign-in that it overtakes; one that anybody can send, as far as there is room', async () => {
  expect(await overtakenBy('signed', () => backChannel('signed'))).toBe(403);
  expect(await overtakenBy('framed', () => frame({ iss: provider.issuer, sid: 'framed' }))).toBe(303);
});

test('a frame of one provider ends no session at another one', async () => {
  const statusOf = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
  const made = await finishSignIn({ gate, provider }, await startSignIn(gate));
  const [cookie = ''] = made.headers.getSetCookie().flatMap(text => (text.startsWith('gate=') ? [text.split(';', 1)[0]] : []));
  expect(await statusOf(cookie)).toBe(200);
  const elsewhere = await gate.fetch('/gate/other/frontchannel-logout', { headers: { cookie } });
  expect([elsewhere.status, await statusOf(cookie)]).toEqual([200, 200]);
  expect([(await frame({}, cookie)).status, await statusOf(cookie)]).toEqual([200, 401]);
});

test('an outage of the store is ours: the provider is told to try again, and so is the person', async () => {
  const started = await startSignIn(gate);
  down = 'endings';
  const logout = await backChannel('unlucky');
  expect([logout.status, logout.headers.get('retry-after')]).toEqual([503, '5']);
  down = 'claims';
  const failed = await finishSignIn({ gate, provider }, started);
  expect([failed.status, await failed.text()]).toEqual([503, expect.stringContaining('STORE_DOWN')]);
  down = undefined;
  expect((await backChannel('unlucky')).status).toBe(200);
});
