import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { keptKey } from '../support/forge.ts';

test('refuses two keys with one id', async () => {
  const second = await keptKey('second');
  await expectRefused('OIDC_KEY_AMBIGUOUS', { jwks: set => ({ keys: [...set.keys, { ...second.publicJwk, kid: 'first' }] }) });
});
