import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test("refuses a callback at another provider's path", async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const address = op.authorize(url).replace('/callback', '/other/callback');
  expect((await errorOf(rp.finishSignIn(address, pending))).code).toBe('OIDC_CALLBACK_URL');
  expect(op.asked('/token')).toBe(0);
});

test('compares only the path behind a proxy', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const { pathname, search } = new URL(op.authorize(url));
  expect((await rp.finishSignIn({ method: 'GET', url: `${pathname}${search}` }, pending)).identity.subject).toBe('sub-1');
});
