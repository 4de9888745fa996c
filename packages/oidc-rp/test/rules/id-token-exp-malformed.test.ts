import { test } from 'vitest';
import { expectClaimsRefused, expectRefused } from '../support/expect-refused.ts';

test.each([[undefined], ['9999999999'], [null], [-1], [true]])('the expiry %j is refused', async exp => {
  await expectClaimsRefused('OIDC_CLAIM_EXP', { exp });
});

test('an expiry beyond all numbers is not eternity', async () => {
  await expectRefused('OIDC_CLAIM_EXP', { idTokenClaims: claims => JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e400') });
});
