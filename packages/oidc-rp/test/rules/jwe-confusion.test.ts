import { CompactEncrypt } from 'jose';
import { expect, test, vi } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { base64url, signingInput } from '../support/forge.ts';

const nonce = { nonce: undefined };

async function setting() {
  const op = await FakeOp.start();
  const { publicKey, privateKey } = await crypto.subtle.generateKey(
    { name: 'RSA-OAEP', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' },
    true,
    ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  );
  const decryption = { algorithm: 'RSA-OAEP-256', encryption: 'A256GCM', keys: [{ kid: 'enc-1', key: privateKey }] } as const;
  const encrypt = (inner: string, header: object = {}, key: CryptoKey | Uint8Array = publicKey) =>
    new CompactEncrypt(new TextEncoder().encode(inner))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', ...header })
      .encrypt(key);
  return { op, rp: op.relyingParty({ idTokenDecryption: decryption }), publicKey, encrypt };
}

test('decrypts an encrypted ID Token, then verifies it like any other', async () => {
  const { op, rp, encrypt } = await setting();
  expect((await rp.validateIdToken(await encrypt(await op.sign(op.claims())), nonce)).sub).toBe('sub-1');
});

test('decrypts an ECDH-ES token', async () => {
  const { op } = await setting();
  const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits', 'deriveKey']);
  for (const algorithm of ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'] as const) {
    const rp = op.relyingParty({
      idTokenDecryption: { algorithm, encryption: 'A128CBC-HS256', keys: [{ key: pair.privateKey }] },
    });
    const inner = new TextEncoder().encode(await op.sign(op.claims()));
    const token = await new CompactEncrypt(inner)
      .setProtectedHeader({ alg: algorithm, enc: 'A128CBC-HS256' })
      .encrypt(pair.publicKey);
    expect((await rp.validateIdToken(token, nonce)).sub).toBe('sub-1');
  }
});

test('refuses an encrypted token if no encryption is registered', async () => {
  const { op, encrypt } = await setting();
  const error = await errorOf(op.relyingParty().validateIdToken(await encrypt(await op.sign(op.claims())), nonce));
  expect(error.code).toBe('OIDC_JWE_UNEXPECTED');
});

test('refuses a token that is only signed if encryption is registered', async () => {
  const { op, rp } = await setting();
  expect((await errorOf(rp.validateIdToken(await op.sign(op.claims()), nonce))).code).toBe('OIDC_JWE_REQUIRED');
});

test('refuses a token that is encrypted but not signed', async () => {
  const { op, rp, encrypt } = await setting();
  const unsigned = `${signingInput({ alg: 'none' }, op.claims())}.`;
  expect((await errorOf(rp.validateIdToken(await encrypt(unsigned), nonce))).code).toBe('OIDC_JWT_ALGORITHM');
  expect((await errorOf(rp.validateIdToken(await encrypt(JSON.stringify(op.claims())), nonce))).code).toBe('OIDC_JWT_MALFORMED');
  const twice = await encrypt(await encrypt(await op.sign(op.claims())));
  expect((await errorOf(rp.validateIdToken(twice, nonce))).code).toBe('OIDC_JWE_UNEXPECTED');
});

test.each(['JWT', 'jwt', 'application/jwt', 'application/JWT'])('accepts the content type %s', async cty => {
  const { op, rp, encrypt } = await setting();
  expect((await rp.validateIdToken(await encrypt(await op.sign(op.claims()), { cty }), nonce)).sub).toBe('sub-1');
});

const shared = new Uint8Array(32).fill(7);

test.each([
  ['dir', { alg: 'dir', enc: 'A256GCM' }, shared],
  ['A256KW', { alg: 'A256KW', enc: 'A256GCM' }, shared],
  ['RSA-OAEP', { alg: 'RSA-OAEP', enc: 'A256GCM' }, undefined],
  ['another content encryption', { enc: 'A128GCM' }, undefined],
  ['a compressed content', { zip: 'DEF' }, undefined],
  ['another content type', { cty: 'text' }, undefined],
  ['a list of content types', { cty: ['JWT'] }, undefined],
] as const)('refuses a token with %s before decrypting it', async (_fault, header, key) => {
  const { op, rp, encrypt, publicKey } = await setting();
  const rsa = await crypto.subtle.exportKey('spki', publicKey);
  const sha1 = await crypto.subtle.importKey('spki', rsa, { name: 'RSA-OAEP', hash: 'SHA-1' }, true, ['encrypt', 'wrapKey']);
  const token = await encrypt(await op.sign(op.claims()), header, key ?? ('alg' in header ? sha1 : publicKey));
  expect((await errorOf(rp.validateIdToken(token, nonce))).code).toBe('OIDC_JWE_HEADER');
});

test.each([
  ['RSA1_5', { alg: 'RSA1_5', enc: 'A256GCM' }],
  ['a billion rounds of PBES2', { alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', p2c: 1_000_000_000, p2s: 'AAAAAAAAAAA' }],
  ['a list of algorithms', { alg: ['RSA-OAEP-256'], enc: 'A256GCM' }],
])('refuses %s before any cryptography', async (_fault, header) => {
  const { rp } = await setting();
  const used = (['deriveBits', 'deriveKey', 'unwrapKey', 'decrypt'] as const).map(name => vi.spyOn(crypto.subtle, name));
  const token = [base64url(JSON.stringify(header)), 'AAAA', 'AAAA', 'AAAA', 'AAAA'].join('.');
  expect((await errorOf(rp.validateIdToken(token, nonce))).code).toBe('OIDC_JWE_HEADER');
  expect(used.map(spy => spy.mock.calls.length)).toEqual([0, 0, 0, 0]);
  for (const spy of used) spy.mockRestore();
});

test('gives the same error for every damage to an encrypted token', async () => {
  const { op, rp, encrypt } = await setting();
  const parts = (await encrypt(await op.sign(op.claims()))).split('.');
  for (const at of [1, 2, 3, 4]) {
    const damaged = parts
      .map((part, index) => (index === at ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part))
      .join('.');
    const error = await errorOf(rp.validateIdToken(damaged, nonce));
    expect([error.code, error.message]).toEqual(['OIDC_JWE_DECRYPTION', 'The token could not be decrypted (id_token.jwe)']);
  }
});

test.each(['A256GCM', 'A128CBC-HS256'] as const)('refuses a shorter or longer tag of %s (CVE-2025-54887)', async encryption => {
  const { op, publicKey } = await setting();
  const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
  expect(publicKey.type).toBe('public');
  const rp = op.relyingParty({ idTokenDecryption: { algorithm: 'ECDH-ES', encryption, keys: [{ key: pair.privateKey }] } });
  const parts = (
    await new CompactEncrypt(new TextEncoder().encode(await op.sign(op.claims())))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: encryption })
      .encrypt(pair.publicKey)
  ).split('.');
  expect((await rp.validateIdToken(parts.join('.'), nonce)).sub).toBe('sub-1');
  const tag = Buffer.from(parts[4]!, 'base64url');
  const [iv, ciphertext] = [2, 3].map(at => Buffer.from(parts[at]!, 'base64url')) as [Buffer, Buffer];
  const wrong = [1, 4, 8, 12, 15].map(length => [iv, ciphertext, tag.subarray(0, length)] as const);
  for (const [nonceBytes, text, cut] of [
    ...wrong,
    [iv, ciphertext, Buffer.concat([tag, Buffer.alloc(1)])] as const,
    // The same octets, divided elsewhere.
    [iv, ciphertext.subarray(0, -4), Buffer.concat([ciphertext.subarray(-4), tag])] as const,
    [iv, Buffer.concat([ciphertext, tag.subarray(0, 4)]), tag.subarray(4)] as const,
  ]) {
    const token = [parts[0], parts[1], ...[nonceBytes, text, cut].map(part => part.toString('base64url'))].join('.');
    expect((await errorOf(rp.validateIdToken(token, nonce))).code).toBe('OIDC_JWE_DECRYPTION');
  }
});

test('a logout token may be encrypted where ID Tokens are, and only there; inside it is judged like any other', async () => {
  const { op, rp, encrypt } = await setting();
  const { postLogout } = await import('../support/expect-refused.ts');
  const encrypted = await encrypt(await op.logoutToken());
  const error = await errorOf(op.relyingParty().readBackChannelLogout(postLogout(encrypted)));
  expect(error.code).toBe('OIDC_JWE_UNEXPECTED');
  expect((await rp.readBackChannelLogout(postLogout(encrypted))).sid).toBe('session-1');
  const withNonce = postLogout(await encrypt(await op.logoutToken({ nonce: 'x' })));
  expect((await errorOf(rp.readBackChannelLogout(withNonce))).code).toBe('OIDC_CLAIM_NONCE');
});
