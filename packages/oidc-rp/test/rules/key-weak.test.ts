import { generateKeyPairSync } from 'node:crypto';
import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';

test('an RSA key of 1024 bits verifies nothing', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  await expectRefused('OIDC_KEY_UNUSABLE', {
    jwks: () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first' }] }),
  });
});

test('an RSA key of 2047 bits, written in 2048, verifies nothing', async () => {
  await expectRefused('OIDC_KEY_UNUSABLE', {
    jwks: set => ({
      keys: set.keys.map(key => ({
        ...key,
        n: Buffer.concat([Buffer.of(0x7f), Buffer.from(String(key.n), 'base64url').subarray(1)]).toString('base64url'),
      })),
    }),
  });
});

test('an RSA key of more than 8192 bits would cost more than it is worth', async () => {
  await expectRefused('OIDC_KEY_UNUSABLE', {
    jwks: set => ({ keys: set.keys.map(key => ({ ...key, n: Buffer.alloc(1025, 0xff).toString('base64url') })) }),
  });
});

// AQ is 1, Aw is 3, EQ is 17; AQAA is even; the last has 40 bits.
test.each(['AQ', 'Aw', 'EQ', 'AQAA', 'AQAAAAE'])('the RSA exponent %s is refused', async e => {
  await expectRefused('OIDC_KEY_UNUSABLE', { jwks: set => ({ keys: set.keys.map(key => ({ ...key, e })) }) });
});
