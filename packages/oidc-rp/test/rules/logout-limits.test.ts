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

test('a logout that was done is answered with nothing but 200, never cached', async () => {
  expect(await answered()).toEqual([200, null, 'no-store', '']);
});

test('a refused one is answered with the words of Back-Channel Logout §2.8 as JSON', async () => {
  const body = JSON.stringify({ error: 'invalid_request', error_description: 'OIDC_CLAIM_NONCE' });
  expect(await answered({ nonce: 'x' })).toEqual([400, 'application/json', 'no-store', body]);
});

test('one that could not be done says that it is ours', async () => {
  const fail = () => {
    throw new Error('the database sleeps');
  };
  expect(await answered({}, fail)).toEqual([500, 'application/json', 'no-store', JSON.stringify({ error: 'server_error' })]);
});

test('a token id is remembered until its token is over, tolerance included', async () => {
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
])('a logout token with %s: the refusal names the claim', async (_what, changes, check) => {
  const op = await FakeOp.start();
  expect((await errorOf(op.relyingParty().readBackChannelLogout(postLogout(await op.logoutToken(changes))))).check).toBe(check);
});

test('a request without a token says what is missing', async () => {
  const op = await FakeOp.start();
  const request = new Request('https://rp.example/backchannel', { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
  expect(await errorOf(op.relyingParty().readBackChannelLogout(request))).toMatchObject({
    code: 'OIDC_LOGOUT_REQUEST',
    check: 'backchannel_logout.logout_token',
  });
});

test.each(['client_id', 'id_token_hint', 'logout_hint', 'post_logout_redirect_uri', 'state'])(
  'a sign-out sets %s itself: as an extra parameter it is refused by name',
  async name => {
    const op = await FakeOp.start();
    expect(await errorOf(op.relyingParty().startSignOut({ extraParameters: { [name]: 'x' } }))).toMatchObject({
      code: 'OIDC_CONFIG_INVALID',
      check: 'request.extraParameters',
    });
  },
);

test('an unknown member of a sign-out is refused by its path', async () => {
  const op = await FakeOp.start();
  expect((await errorOf(op.relyingParty().startSignOut({ hint: 'x' } as never))).check).toBe('request.hint');
});

test('100,000 logouts are remembered; one more takes the place of the oldest', () => {
  const tombstones = new LogoutTombstones({ now: () => new Date(0) });
  const issuer = 'https://op.example';
  const bury = (entry: number) => tombstones.bury({ issuer, subject: 'sub-1', sid: `s${entry}`, issuedAt: 0 });
  const covers = (entry: number) => tombstones.covers({ iss: issuer, sub: 'sub-1', iat: 0, sid: `s${entry}` });
  for (let entry = 1; entry <= 100_000; entry += 1) bury(entry);
  expect(covers(1)).toBe(true);
  bury(100_001);
  expect([covers(1), covers(2), covers(100_001)]).toEqual([false, true, true]);
});

test('the answer of a front-channel logout is framed by the provider alone, kept by nobody and names no page', () => {
  expect(frontChannelLogoutHeaders('https://op.example/realm')).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors https://op.example",
    'referrer-policy': 'no-referrer',
  });
});
