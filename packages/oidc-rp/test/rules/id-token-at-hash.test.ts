import { expect, test } from 'vitest';
import { expectClaimsRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each([['AAAAAAAAAAAAAAAAAAAAAA'], [''], [7], [null]])('the access token hash %j is refused', async at_hash => {
  await expectClaimsRefused('OIDC_CLAIM_AT_HASH', { at_hash });
});

test('an access token that was swapped is refused', async () => {
  const op = await FakeOp.start();
  op.faults.token = response => ({ ...response, access_token: 'of-another-person' });
  await expect(signInAt(op)).rejects.toMatchObject({ code: 'OIDC_CLAIM_AT_HASH' });
});

test('the code flow may leave the hash out', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = ({ at_hash: _, ...claims }) => claims;
  expect((await signInAt(op)).claims.at_hash).toBeUndefined();
});

test.each([['RS384'], ['ES512'], ['EdDSA']] as const)('the hash is the one of %s', async alg => {
  const { createHash } = await import('node:crypto');
  const op = await FakeOp.start(alg);
  const hash = alg === 'RS384' ? 'sha384' : 'sha512';
  op.faults.token = response => ({ ...response, access_token: 'fixed' });
  const digest = createHash(hash).update('fixed').digest();
  op.faults.idTokenClaims = claims => ({ ...claims, at_hash: digest.subarray(0, digest.length / 2).toString('base64url') });
  expect((await signInAt(op, { options: { idTokenAlgorithms: [alg] } })).tokens.accessToken).toBe('fixed');
});

test('both ways to hash, at once and by WebCrypto, agree for every algorithm', async () => {
  const { tokenHash, tokenHashByWebCrypto } = await import('../../src/keys/token-hash.ts');
  const { createHash } = await import('node:crypto');
  for (const [algorithm, hash] of [
    ['RS256', 'SHA-256'],
    ['ES384', 'SHA-384'],
    ['PS512', 'SHA-512'],
    ['EdDSA', 'SHA-512'],
  ] as const) {
    for (let at = 0; at < 50; at += 1) {
      const token = `token ${at}`;
      const digest = createHash(hash.replace('-', '')).update(token).digest();
      const expected = digest.subarray(0, digest.length / 2).toString('base64url');
      expect([await tokenHash(token, algorithm), await tokenHashByWebCrypto(token, hash)]).toEqual([expected, expected]);
    }
  }
});
