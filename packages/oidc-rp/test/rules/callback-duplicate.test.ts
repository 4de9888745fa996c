import { expect, test } from 'vitest';
import { errorOf, expectRefused } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each(['code', 'state', 'iss'])('refuses a callback with two %s parameters', async name => {
  await expectRefused('OIDC_CALLBACK_DUPLICATE', { callback: parameters => parameters.append(name, parameters.get(name)!) });
});

test('refuses a list that a form parser made of a repeated parameter', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ responseMode: 'form_post' });
  const { pending } = await rp.startSignIn();
  const request = { method: 'POST', url: '/callback', body: { state: pending.state, code: ['a', 'b'] } };
  expect((await errorOf(rp.finishSignIn(request, pending))).code).toBe('OIDC_CALLBACK_DUPLICATE');
});
