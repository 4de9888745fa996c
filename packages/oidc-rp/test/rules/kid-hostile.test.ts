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

test.each(ids)('the key id %j names no key and reaches nothing but the key set', async kid => {
  await expectHeaderRefused('OIDC_KEY_UNKNOWN', { kid });
});

test.each([[{}], [['first']], [7], [null]])('a key id that is %j is refused', async kid => {
  await expectHeaderRefused('OIDC_JWT_HEADER', { kid });
});

test('a key id of 10 kB is refused by its size', async () => {
  const error = await expectHeaderRefused('OIDC_JWT_TOO_LARGE', { kid: 'x'.repeat(10_000) });
  expect(error.message.length).toBeLessThan(500);
});
