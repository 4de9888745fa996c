import { expect, test } from 'vitest';
import { expectClaimsRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('several audiences without an authorized party are refused', async () => {
  await expectClaimsRefused('OIDC_CLAIM_AZP', { aud: ['notes', 'other'] });
});

test('an authorized party that is another client is refused', async () => {
  await expectClaimsRefused('OIDC_CLAIM_AZP', { azp: 'other' });
  await expectClaimsRefused('OIDC_CLAIM_AZP', { aud: ['notes', 'other'], azp: 'other' });
});

test('several audiences are accepted when the token was issued to us', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => ({ ...claims, aud: ['other', 'notes'], azp: 'notes' });
  expect((await signInAt(op)).claims.azp).toBe('notes');
});
