import { expect, test } from 'vitest';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('accepts a callback once, even if the first use fails', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const address = op.authorize(url);
  await rp.finishSignIn(address, pending);
  expect((await errorOf(rp.finishSignIn(address, pending))).code).toBe('OIDC_PENDING_USED');
  const second = await rp.startSignIn();
  op.faults.idTokenClaims = claims => ({ ...claims, nonce: 'x' });
  const failing = op.authorize(second.url);
  await errorOf(rp.finishSignIn(failing, second.pending));
  expect((await errorOf(rp.finishSignIn(failing, second.pending))).code).toBe('OIDC_PENDING_USED');
});

test('signs in one of two callbacks at once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const address = op.authorize(url);
  const outcomes = await Promise.allSettled([rp.finishSignIn(address, pending), rp.finishSignIn(address, pending)]);
  expect(outcomes.map(outcome => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('refuses a sign-in that took too long', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  op.advance(600);
  expect((await errorOf(rp.finishSignIn(op.authorize(url), pending))).code).toBe('OIDC_PENDING_EXPIRED');
});

test('signs in two tabs at once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const identities = await Promise.all([signInAt(op, {}, rp), signInAt(op, {}, rp)]);
  expect(identities.map(signIn => signIn.identity.subject)).toEqual(['sub-1', 'sub-1']);
});
