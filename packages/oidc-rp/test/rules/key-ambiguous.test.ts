import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { keptKey } from '../support/forge.ts';

test('two keys with one id are refused: nobody can say which is meant', async () => {
  const second = await keptKey('second');
  await expectRefused('OIDC_KEY_AMBIGUOUS', { jwks: set => ({ keys: [...set.keys, { ...second.publicJwk, kid: 'first' }] }) });
});
