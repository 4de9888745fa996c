import { test } from 'vitest';
import { expectClaimsRefused, expectRefused } from '../support/expect-refused.ts';

test('refuses a token that is not valid yet', async () => {
  await expectRefused('OIDC_CLAIM_NBF', { idTokenClaims: claims => ({ ...claims, nbf: Number(claims.iat) + 1 }) });
});

test('refuses an nbf that is not a number', async () => {
  await expectClaimsRefused('OIDC_CLAIM_NBF', { nbf: 'now' });
});
