import { generateKeyPairSync } from 'node:crypto';
import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { base64url, signBytes, signingInput } from '../support/forge.ts';

const setting = { alg: 'EdDSA', options: { idTokenAlgorithms: ['EdDSA'] as const } };
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

test('a signature with S + L, which says the same in other words, is refused', async () => {
  await expectRefused(
    'OIDC_JWT_SIGNATURE',
    {
      idToken: async ({ header, claims, key }) => {
        const input = signingInput(header, claims);
        return `${input}.${base64url(malleated(await signBytes(input, key)))}`;
      },
    },
    setting,
  );
});

test.each(['ed448', 'x25519'] as const)('does not use a key on %s with EdDSA', async type => {
  const { publicKey } = generateKeyPairSync(type as 'ed448');
  await expectRefused(
    'OIDC_KEY_UNUSABLE',
    { jwks: () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first' }] }) },
    setting,
  );
});

function malleated(signature: Uint8Array): Uint8Array {
  const s = Buffer.from(signature.subarray(32)).reverse();
  const moved = (BigInt(`0x${s.toString('hex')}`) + groupOrder).toString(16).padStart(64, '0');
  return Buffer.concat([signature.subarray(0, 32), Buffer.from(moved, 'hex').reverse()]);
}
