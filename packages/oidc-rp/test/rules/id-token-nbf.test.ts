import { test } from 'vitest';
import { expectClaimsRefused, expectRefused } from '../support/expect-refused.ts';

test('a token that is not valid yet is refused', async () => {
  await expectRefused('OIDC_CLAIM_NBF', { idTokenClaims: claims => ({ ...claims, nbf: Number(claims.iat) + 1 }) });
});

test('a start that is not a number is refused', async () => {
  await expectClaimsRefused('OIDC_CLAIM_NBF', { nbf: 'now' });
});
