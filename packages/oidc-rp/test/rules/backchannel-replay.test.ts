import { expect, test } from 'vitest';
import { MemoryReplayStore } from '../../src/index.ts';
import { errorOf, postLogout } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('accepts a logout token once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const token = await op.logoutToken();
  const statuses = [];
  for (let at = 0; at < 2; at += 1) statuses.push((await rp.answerBackChannelLogout(postLogout(token), () => undefined)).status);
  expect(statuses).toEqual([200, 400]);
  const error = await errorOf(rp.readBackChannelLogout(postLogout(token)));
  expect(error.code).toBe('OIDC_LOGOUT_REPLAY');
});

test('lets the provider try again if ending the sessions failed', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const token = await op.logoutToken();
  const failing = await rp.answerBackChannelLogout(postLogout(token), () => Promise.reject(new Error('the database sleeps')));
  expect([failing.status, failing.headers.get('cache-control')]).toEqual([500, 'no-store']);
  expect(await failing.text()).not.toContain('database');
  expect((await rp.answerBackChannelLogout(postLogout(token), () => undefined)).status).toBe(200);
});

test('does not use up a token that it refuses', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await rp.answerBackChannelLogout(postLogout(await op.logoutToken({ jti: 'same', nonce: 'x' })), () => undefined);
  expect((await rp.answerBackChannelLogout(postLogout(await op.logoutToken({ jti: 'same' })), () => undefined)).status).toBe(200);
});

test('keeps equal token ids of two providers apart', async () => {
  const one = await FakeOp.start();
  const two = await FakeOp.start();
  two.issuer = 'https://two.example';
  const replayStore = new MemoryReplayStore({ now: () => new Date(one.nowMs) });
  for (const op of [one, two]) {
    const rp = op.relyingParty({ replayStore });
    expect((await rp.answerBackChannelLogout(postLogout(await op.logoutToken({ jti: '1' })), () => undefined)).status).toBe(200);
  }
});

test('forgets expired ids and stays bounded', () => {
  let now = 0;
  const store = new MemoryReplayStore({ now: () => new Date(now) });
  expect([store.claim('a', new Date(10_000)), store.claim('a', new Date(10_000))]).toEqual([true, false]);
  now = 10_000;
  expect(store.claim('a', new Date(20_000))).toBe(true);
  for (let at = 0; at < 100_001; at += 1) store.claim(`id-${at}`, new Date(1_000_000));
  expect(store.claim('id-0', new Date(1_000_000))).toBe(true);
  expect(store.claim('id-100000', new Date(1_000_000))).toBe(false);
});
