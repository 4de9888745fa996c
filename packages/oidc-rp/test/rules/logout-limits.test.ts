import { expect, test } from 'vitest';
import { frontChannelLogoutHeaders, LogoutTombstones, MemoryReplayStore } from '../../src/index.ts';
import { errorOf, postLogout } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// What the provider is answered in a back-channel logout, word by word, and the names that a sign-out keeps for itself.

async function answered(changes: Record<string, unknown> = {}, end: () => void = () => undefined) {
  const op = await FakeOp.start();
  const answer = await op.relyingParty().answerBackChannelLogout(postLogout(await op.logoutToken(changes)), end);
  return [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control'), await answer.text()];
}

test('answers a completed logout with an empty 200, not cached', async () => {
  expect(await answered()).toEqual([200, null, 'no-store', '']);
});

test('answers a refused logout with the JSON of Back-Channel Logout §2.8', async () => {
  const body = JSON.stringify({ error: 'invalid_request', error_description: 'OIDC_CLAIM_NONCE' });
  expect(await answered({ nonce: 'x' })).toEqual([400, 'application/json', 'no-store', body]);
});

test('reports a failed logout as our fault', async () => {
  const fail = () => {
    throw new Error('the database sleeps');
  };
  expect(await answered({}, fail)).toEqual([500, 'application/json', 'no-store', JSON.stringify({ error: 'server_error' })]);
});

test('remembers a token id until its token has expired, including the tolerance', async () => {
  const op = await FakeOp.start();
  const store = new MemoryReplayStore({ now: () => new Date(op.nowMs) });
  const untils: number[] = [];
  const replayStore = {
    claim: (key: string, until: Date) => {
      untils.push(until.getTime() / 1000);
      return store.claim(key, until);
    },
    release: (key: string) => store.release(key),
  };
  const rp = op.relyingParty({ replayStore, clockToleranceSeconds: 30 });
  await rp.readBackChannelLogout(postLogout(await op.logoutToken({ exp: op.now + 120 })));
  expect(untils[0]).toBeGreaterThanOrEqual(op.now + 150);
});

test.each([
  ['a nonce', { nonce: 'x' }, 'logout_token.nonce'],
  ['no token id', { jti: undefined }, 'logout_token.jti'],
  ['neither person nor session', { sub: undefined, sid: undefined }, 'logout_token.sid'],
  ['no event', { events: {} }, 'logout_token.events'],
])('names the claim when refusing a logout token with %s', async (_what, changes, check) => {
  const op = await FakeOp.start();
  expect((await errorOf(op.relyingParty().readBackChannelLogout(postLogout(await op.logoutToken(changes))))).check).toBe(check);
});

test('says what is missing from a request without a token', async () => {
  const op = await FakeOp.start();
  const request = new Request('https://rp.example/backchannel', { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
  expect(await errorOf(op.relyingParty().readBackChannelLogout(request))).toMatchObject({
    code: 'OIDC_LOGOUT_REQUEST',
    check: 'backchannel_logout.logout_token',
  });
});

test.each(['client_id', 'id_token_hint', 'logout_hint', 'post_logout_redirect_uri', 'state'])(
  'refuses %s as an extra parameter of a sign-out',
  async name => {
    const op = await FakeOp.start();
    expect(await errorOf(op.relyingParty().startSignOut({ extraParameters: { [name]: 'x' } }))).toMatchObject({
      code: 'OIDC_CONFIG_INVALID',
      check: 'request.extraParameters',
    });
  },
);

test('refuses an unknown member of a sign-out by its path', async () => {
  const op = await FakeOp.start();
  expect((await errorOf(op.relyingParty().startSignOut({ hint: 'x' } as never))).check).toBe('request.hint');
});

test('remembers 100,000 logouts, and drops the oldest for one more', () => {
  const tombstones = new LogoutTombstones({ now: () => new Date(0) });
  const issuer = 'https://op.example';
  const bury = (entry: number) => tombstones.bury({ issuer, subject: 'sub-1', sid: `s${entry}`, issuedAt: 0 });
  const covers = (entry: number) => tombstones.covers({ iss: issuer, sub: 'sub-1', iat: 0, sid: `s${entry}` });
  for (let entry = 1; entry <= 100_000; entry += 1) bury(entry);
  expect(covers(1)).toBe(true);
  bury(100_001);
  expect([covers(1), covers(2), covers(100_001)]).toEqual([false, true, true]);
});

test('lets only the provider frame the answer, and neither caches it nor sends a referrer', () => {
  expect(frontChannelLogoutHeaders('https://op.example/realm')).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors https://op.example",
    'referrer-policy': 'no-referrer',
  });
});
