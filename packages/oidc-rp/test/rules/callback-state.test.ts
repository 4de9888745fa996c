import { expect, test } from 'vitest';
import { errorOf, expectRefused } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each([
  ['missing', (parameters: URLSearchParams) => parameters.delete('state')],
  ['wrong', (parameters: URLSearchParams) => parameters.set('state', 'another')],
  ['cut', (parameters: URLSearchParams) => parameters.set('state', parameters.get('state')!.slice(1))],
  ['empty', (parameters: URLSearchParams) => parameters.set('state', '')],
])('refuses a state that is %s', async (_fault, callback) => {
  await expectRefused('OIDC_CALLBACK_STATE', { callback });
});

test('refuses a callback in a browser that started no sign-in, and redeems nothing', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url } = await rp.startSignIn();
  expect((await errorOf(rp.finishSignIn(op.authorize(url), undefined))).code).toBe('OIDC_CALLBACK_STATE');
  expect(op.asked('/token')).toBe(0);
});

test("refuses another browser's callback", async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const mine = await rp.startSignIn();
  const theirs = await rp.startSignIn();
  expect((await errorOf(rp.finishSignIn(op.authorize(theirs.url), mine.pending))).code).toBe('OIDC_CALLBACK_STATE');
  expect(op.asked('/token')).toBe(0);
});
