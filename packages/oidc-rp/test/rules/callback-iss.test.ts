import { expect, test } from 'vitest';
import { errorOf, expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each(['https://evil.example', 'https://op.example/', ''])('refuses the issuer "%s" in the callback', async iss => {
  await expectRefused('OIDC_CALLBACK_ISS', { callback: parameters => parameters.set('iss', iss) });
});

test('refuses a callback without the issuer that the provider promised', async () => {
  await expectRefused('OIDC_CALLBACK_ISS', { callback: parameters => parameters.delete('iss') });
});

test('accepts a callback without an issuer from a provider that promised none', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = ({ authorization_response_iss_parameter_supported: _, ...document }) => document;
  op.faults.callback = parameters => parameters.delete('iss');
  expect((await signInAt(op)).identity.issuer).toBe(op.issuer);
});

test.each([
  ['that names its issuer', true],
  ['that names no issuer', false],
])("mix-up: does not send one provider's code to another, in a callback %s", async (_name, named) => {
  const honest = await FakeOp.start();
  const evil = await FakeOp.start();
  evil.issuer = 'https://evil.example';
  if (!named) {
    for (const op of [honest, evil])
      op.faults.metadata = ({ authorization_response_iss_parameter_supported: _, ...document }) => document;
    honest.faults.callback = parameters => parameters.delete('iss');
  }
  const { pending, url } = await honest.relyingParty().startSignIn();
  const other = evil.relyingParty({ redirectUri: 'https://rp.example/callback' });
  expect((await errorOf(other.finishSignIn(honest.authorize(url), pending))).code).toBe('OIDC_CALLBACK_ISS');
  expect(evil.asked('/token')).toBe(0);
});
