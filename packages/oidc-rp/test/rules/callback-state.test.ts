import { expect, test } from 'vitest';
import { errorOf, expectRefused } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each([
  ['missing', (parameters: URLSearchParams) => parameters.delete('state')],
  ['wrong', (parameters: URLSearchParams) => parameters.set('state', 'another')],
  ['cut', (parameters: URLSearchParams) => parameters.set('state', parameters.get('state')!.slice(1))],
  ['empty', (parameters: URLSearchParams) => parameters.set('state', '')],
])('a state that is %s is refused', async (_fault, callback) => {
  await expectRefused('OIDC_CALLBACK_STATE', { callback });
});

test('a callback in a browser that started nothing is refused, and nothing is redeemed', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url } = await rp.startSignIn();
  expect((await errorOf(rp.finishSignIn(op.authorize(url), undefined))).code).toBe('OIDC_CALLBACK_STATE');
  expect(op.asked('/token')).toBe(0);
});

test('a callback of another browser is refused', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const mine = await rp.startSignIn();
  const theirs = await rp.startSignIn();
  expect((await errorOf(rp.finishSignIn(op.authorize(theirs.url), mine.pending))).code).toBe('OIDC_CALLBACK_STATE');
  expect(op.asked('/token')).toBe(0);
});
