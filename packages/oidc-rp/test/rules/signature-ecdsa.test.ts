import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { base64url, keptKey, signBytes, signingInput } from '../support/forge.ts';

const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
const zero = Buffer.alloc(32);
const setting = { alg: 'ES256', options: { idTokenAlgorithms: ['ES256'] as const } };

const signatures: Record<string, (good: Uint8Array) => Uint8Array> = {
  'r = s = 0 (CVE-2022-21449)': () => Buffer.concat([zero, zero]),
  'r = 0': good => Buffer.concat([zero, good.subarray(32)]),
  's = 0': good => Buffer.concat([good.subarray(0, 32), zero]),
  'r = n': good => Buffer.concat([order, good.subarray(32)]),
  's = n': good => Buffer.concat([good.subarray(0, 32), order]),
  'r = s = n': () => Buffer.concat([order, order]),
  'in DER': good => der(good),
  'cut in half': good => good.subarray(0, 32),
};

test.each(Object.keys(signatures))('refuses an ECDSA signature with %s', async name => {
  await expectRefused(
    'OIDC_JWT_SIGNATURE',
    {
      idToken: async ({ header, claims, key }) => {
        const input = signingInput(header, claims);
        return `${input}.${base64url(signatures[name]!(await signBytes(input, key)))}`;
      },
    },
    setting,
  );
});

test('does not use a P-384 key with ES256', async () => {
  const wide = await keptKey('first', 'ES384');
  const { alg: _, ...published } = wide.publicJwk;
  await expectRefused('OIDC_KEY_UNUSABLE', { jwks: () => ({ keys: [{ ...published, kid: 'first' }] }) }, setting);
});

function der(good: Uint8Array): Uint8Array {
  const integer = (part: Uint8Array) => {
    const padded = part[0]! > 127 ? Buffer.concat([Buffer.of(0), part]) : part;
    return Buffer.concat([Buffer.of(2, padded.length), padded]);
  };
  const body = Buffer.concat([integer(good.subarray(0, 32)), integer(good.subarray(32))]);
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}
