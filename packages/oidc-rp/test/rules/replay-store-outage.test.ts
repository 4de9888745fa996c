import { expect, test } from 'vitest';
import type { ReplayStore } from '../../src/index.ts';
import { errorOf, postLogout } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const broken: Record<string, ReplayStore> = {
  'a store that rejects': { claim: () => Promise.reject(new Error('no route')), release: () => undefined },
  'a store that throws': {
    claim: () => {
      throw new Error('no route');
    },
    release: () => undefined,
  },
  'a store that answers with nothing': { claim: (() => undefined) as unknown as ReplayStore['claim'], release: () => undefined },
  'a store that answers with a count': { claim: (() => 1) as unknown as ReplayStore['claim'], release: () => undefined },
};

test.each(Object.keys(broken))('%s is an outage, 503, and lets nobody in', async name => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ replayStore: broken[name] });
  const { url, pending } = await rp.startSignIn();
  const error = await errorOf(rp.finishSignIn(op.authorize(url), pending));
  expect([error.code, error.status]).toEqual(['OIDC_STORE_UNAVAILABLE', 503]);
  expect(op.asked('/token')).toBe(0);

  const ended: unknown[] = [];
  const answer = await rp.answerBackChannelLogout(postLogout(await op.logoutToken()), logout => void ended.push(logout));
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { error: 'temporarily_unavailable', error_description: 'OIDC_STORE_UNAVAILABLE' },
  ]);
  expect(ended).toEqual([]);
});

test('a store that fails while a claim is given back does not break the answer', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ replayStore: { claim: () => true, release: () => Promise.reject(new Error('no route')) } });
  const answer = await rp.answerBackChannelLogout(postLogout(await op.logoutToken()), () => Promise.reject(new Error('down')));
  expect(answer.status).toBe(500);
});

test('a shared store refuses a callback that another process has answered; its keys are short, printable and of one issuer', async () => {
  const op = await FakeOp.start();
  const claimed = new Map<string, Date>();
  const replayStore: ReplayStore = {
    claim: (key, until) => !claimed.has(key) && claimed.set(key, until).size > 0,
    release: key => void claimed.delete(key),
  };
  const [one, two] = [op.relyingParty({ replayStore }), op.relyingParty({ replayStore })];
  const { url, pending } = await one.startSignIn();
  const address = op.authorize(url);
  await one.finishSignIn(address, pending);
  expect((await errorOf(two.finishSignIn(address, pending))).code).toBe('OIDC_PENDING_USED');
  const token = await op.logoutToken({ jti: 'j'.repeat(1000) });
  await one.readBackChannelLogout(postLogout(token));
  expect((await errorOf(two.readBackChannelLogout(postLogout(token)))).code).toBe('OIDC_LOGOUT_REPLAY');
  for (const [key, until] of claimed) {
    expect(key).toMatch(/^oidc-(state|logout):[\w-]{43}$/);
    expect(until.getTime()).toBeGreaterThanOrEqual(op.nowMs + 300_000);
  }
});

test('a provider that is out of reach is 503, one that refuses is not', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = () => new Response('', { status: 500 });
  expect((await errorOf(op.relyingParty().startSignIn())).status).toBe(503);
  op.faults.metadata = () => new Response('', { status: 404 });
  expect((await errorOf(op.relyingParty().startSignIn())).status).toBe(502);
  op.faults = { jwks: () => new Response('', { status: 500 }) };
  const logout = await op.relyingParty().answerBackChannelLogout(postLogout(await op.logoutToken()), () => undefined);
  expect(logout.status).toBe(503);
});
