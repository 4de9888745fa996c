import { test } from 'vitest';
import { expectClaimsRefused } from '../support/expect-refused.ts';

test('a code hash of another code is refused', async () => {
  await expectClaimsRefused('OIDC_CLAIM_C_HASH', { c_hash: 'AAAAAAAAAAAAAAAAAAAAAA' });
});
