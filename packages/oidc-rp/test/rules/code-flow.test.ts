import { expect, test } from 'vitest';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('signs the person in, identified by issuer and subject', async () => {
  const op = await FakeOp.start();
  const signIn = await signInAt(op, { request: { returnTo: '/n/abc?x=1' } });
  expect(signIn.identity).toEqual({ issuer: op.issuer, subject: 'sub-1' });
  expect(signIn.returnTo).toBe('/n/abc?x=1');
  expect(signIn.tokens.refreshToken).toMatch(/^rt-/);
  expect(op.requests).toEqual([
    `GET ${op.issuer}/.well-known/openid-configuration`,
    `POST ${op.issuer}/token`,
    `GET ${op.issuer}/jwks`,
  ]);
});

test('fetches neither metadata nor keys again for a second sign-in', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await signInAt(op, {}, rp);
  await signInAt(op, {}, rp);
  expect(op.requests).toHaveLength(4);
});
