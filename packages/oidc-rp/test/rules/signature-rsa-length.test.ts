import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { base64url, signBytes, signingInput } from '../support/forge.ts';

const lengths: Record<string, (signature: Uint8Array) => Uint8Array> = {
  'one byte short': signature => signature.subarray(1),
  'one byte long at the end': signature => Buffer.concat([signature, Buffer.of(0)]),
  'padded with a leading zero': signature => Buffer.concat([Buffer.of(0), signature]),
  'one byte': () => Uint8Array.of(0),
  'all zero': signature => new Uint8Array(signature.length),
};

test.each(Object.keys(lengths))('an RSA signature that is %s is refused', async name => {
  await expectRefused('OIDC_JWT_SIGNATURE', {
    idToken: async ({ header, claims, key }) => {
      const input = signingInput(header, claims);
      return `${input}.${base64url(lengths[name]!(await signBytes(input, key)))}`;
    },
  });
});
