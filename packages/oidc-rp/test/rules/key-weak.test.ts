import { generateKeyPairSync } from 'node:crypto';
import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';

test('does not use an RSA key of 1024 bits', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  await expectRefused('OIDC_KEY_UNUSABLE', {
    jwks: () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first' }] }),
  });
});

test('does not use an RSA key of 2047 bits padded to 2048', async () => {
  await expectRefused('OIDC_KEY_UNUSABLE', {
    jwks: set => ({
      keys: set.keys.map(key => ({
        ...key,
        n: Buffer.concat([Buffer.of(0x7f), Buffer.from(String(key.n), 'base64url').subarray(1)]).toString('base64url'),
      })),
    }),
  });
});

test('does not use an RSA key above 8192 bits', async () => {
  await expectRefused('OIDC_KEY_UNUSABLE', {
    jwks: set => ({ keys: set.keys.map(key => ({ ...key, n: Buffer.alloc(1025, 0xff).toString('base64url') })) }),
  });
});

// AQ is 1, Aw is 3, EQ is 17, AQAA is 65536; AQAC is 65538, large enough but even; the last has 40 bits.
test.each(['AQ', 'Aw', 'EQ', 'AQAA', 'AQAC', 'AQAAAAE'])('refuses the RSA exponent %s', async e => {
  await expectRefused('OIDC_KEY_UNUSABLE', { jwks: set => ({ keys: set.keys.map(key => ({ ...key, e })) }) });
});
