import { test } from 'vitest';
import { expectClaimsRefused } from '../support/expect-refused.ts';

test.each([[7], [''], ['a'.repeat(1025)], [['session-1']]])('refuses the session id %j', async sid => {
  await expectClaimsRefused('OIDC_CLAIM_SID', { sid });
});
