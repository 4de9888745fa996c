import { expect, test } from 'vitest';
import { errorOf, expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each(['https://evil.example', 'https://op.example/', ''])('the issuer "%s" in the callback is refused', async iss => {
  await expectRefused('OIDC_CALLBACK_ISS', { callback: parameters => parameters.set('iss', iss) });
});

test('an issuer that was promised and is missing is refused', async () => {
  await expectRefused('OIDC_CALLBACK_ISS', { callback: parameters => parameters.delete('iss') });
});

test('a provider that promised none need not send it', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = ({ authorization_response_iss_parameter_supported: _, ...document }) => document;
  op.faults.callback = parameters => parameters.delete('iss');
  expect((await signInAt(op)).identity.issuer).toBe(op.issuer);
});

test('mix-up: the answer to a sign-in at one provider is not taken to another', async () => {
  const honest = await FakeOp.start();
  const evil = await FakeOp.start();
  evil.issuer = 'https://evil.example';
  const { pending, url } = await honest.relyingParty().startSignIn();
  const other = evil.relyingParty({ redirectUri: 'https://rp.example/callback' });
  expect((await errorOf(other.finishSignIn(honest.authorize(url), pending))).code).toBe('OIDC_CALLBACK_ISS');
  expect(evil.asked('/token')).toBe(0);
});
