import { expect, test } from 'vitest';
import { expectHeaderRefused } from '../support/expect-refused.ts';

const ids = [
  '../../dev/null',
  "' OR 1=1 --",
  '$(id)',
  'key\u0000',
  '__proto__',
  'constructor',
  'toString',
  '',
  'x'.repeat(5000),
  'https://evil.example/jwks',
];

test.each(ids)('finds no key for the key id %j, and fetches nothing but the key set', async kid => {
  await expectHeaderRefused('OIDC_KEY_UNKNOWN', { kid });
});

test.each([[{}], [['first']], [7], [null]])('refuses a key id that is %j', async kid => {
  await expectHeaderRefused('OIDC_JWT_HEADER', { kid });
});

test('refuses a key id of 10 kB by its size', async () => {
  const error = await expectHeaderRefused('OIDC_JWT_TOO_LARGE', { kid: 'x'.repeat(10_000) });
  expect(error.message.length).toBeLessThan(500);
});
