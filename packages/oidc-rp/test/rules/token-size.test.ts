import { expect, test } from 'vitest';
import { expectClaimsRefused, expectHeaderRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('a header over 8 kB is refused', async () => {
  await expectHeaderRefused('OIDC_JWT_TOO_LARGE', { filler: 'x'.repeat(6_200) });
});

test('a token over 64 kB is refused, one below is not', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => ({ ...claims, filler: 'x'.repeat(47_000) });
  expect((await signInAt(op)).identity.subject).toBe('sub-1');
  const rp = op.relyingParty();
  const token = await op.sign(op.claims({ filler: 'x'.repeat(49_000) }));
  await expect(rp.validateIdToken(token, { nonce: undefined })).rejects.toMatchObject({ code: 'OIDC_JWT_TOO_LARGE' });
  expect(op.asked('/jwks')).toBe(1);
});

test('the token endpoint cannot pass a larger one on', async () => {
  await expectClaimsRefused('OIDC_TOKEN_RESPONSE', { filler: 'x'.repeat(60_000) });
});
