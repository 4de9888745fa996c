import { test } from 'vitest';
import { expectClaimsRefused, expectRefused } from '../support/expect-refused.ts';

test.each([[undefined], ['1'], [null], [-1]])('the issue time %j is refused', async iat => {
  await expectClaimsRefused('OIDC_CLAIM_IAT', { iat });
});

test('a token from the future is refused', async () => {
  await expectRefused('OIDC_CLAIM_IAT', { idTokenClaims: claims => ({ ...claims, iat: Number(claims.iat) + 1 }) });
  await expectRefused(
    'OIDC_CLAIM_IAT',
    { idTokenClaims: claims => ({ ...claims, iat: Number(claims.iat) + 11 }) },
    { options: { clockToleranceSeconds: 10 } },
  );
});
