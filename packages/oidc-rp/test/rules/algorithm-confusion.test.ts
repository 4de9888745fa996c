import { createPublicKey, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forgeHmac, keptKey } from '../support/forge.ts';

const text = (value: string) => new TextEncoder().encode(value);
const pem = (key: KeyObject, type: 'spki' | 'pkcs1') => key.export({ type, format: 'pem' }) as string;

type RsaJwk = Record<'n' | 'e', string>;

/** A public key as `ssh-keygen` writes it: each part after its length, numbers with a leading zero (RFC 4253 §6.6). */
function openSsh({ e, n }: RsaJwk): string {
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]), bytes]);
  const parts = [Buffer.from('ssh-rsa'), Buffer.from(e, 'base64url'), Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')])];
  return Buffer.concat(parts.map(part)).toString('base64');
}

/** Every way to write down a public key that was once taken for an HMAC secret. */
const writings: Record<string, (key: KeyObject, jwk: object) => Uint8Array> = {
  'SPKI PEM': key => text(pem(key, 'spki')),
  'SPKI PEM without its last line end': key => text(pem(key, 'spki').trimEnd()),
  'SPKI PEM after a space (CVE-2026-34950)': key => text(` ${pem(key, 'spki')}`),
  'SPKI PEM after a line end': key => text(`\n${pem(key, 'spki')}`),
  'SPKI PEM with CRLF': key => text(pem(key, 'spki').replaceAll('\n', '\r\n')),
  'PKCS#1 PEM': key => text(pem(key, 'pkcs1')),
  'a certificate-like PEM': key => text(pem(key, 'spki').replaceAll('PUBLIC KEY', 'CERTIFICATE')),
  'SPKI DER': key => key.export({ type: 'spki', format: 'der' }),
  'JWK JSON': (_key, jwk) => text(JSON.stringify(jwk)),
  'an OpenSSH line (CVE-2022-29217, CVE-2024-33663)': (_key, jwk) => text(`ssh-rsa ${openSsh(jwk as RsaJwk)} ada@example`),
  'the modulus': (_key, jwk) => Buffer.from((jwk as { n: string }).n, 'base64url'),
};

test.each(Object.keys(writings))('refuses an HMAC made with the public key as %s', async name => {
  const { publicJwk } = await keptKey('first');
  const secret = writings[name]!(createPublicKey({ key: publicJwk as never, format: 'jwk' }), publicJwk);
  await expectRefused('OIDC_JWT_ALGORITHM', {
    idToken: ({ header, claims }) => forgeHmac({ ...header, alg: 'HS256' }, claims, secret),
  });
});

test.each(Object.keys(writings))('with HS256 registered, does not take %s for the secret', async name => {
  const op = await FakeOp.start();
  const { publicJwk } = await keptKey('first');
  const secret = writings[name]!(createPublicKey({ key: publicJwk as never, format: 'jwk' }), publicJwk);
  op.faults.idToken = ({ header, claims }) => forgeHmac({ ...header, alg: 'HS256' }, claims, secret);
  await expect(signInAt(op, { options: { idTokenAlgorithms: ['HS256'] } })).rejects.toMatchObject({ code: 'OIDC_JWT_SIGNATURE' });
});

test('refuses an HMAC with the client secret if RS256 is registered', async () => {
  const { secret } = await FakeOp.start();
  await expectRefused('OIDC_JWT_ALGORITHM', {
    idToken: ({ header, claims }) => forgeHmac({ ...header, alg: 'HS256' }, claims, text(secret)),
  });
});

test('refuses HMAC beside asymmetric algorithms, or with a short or missing secret', async () => {
  const op = await FakeOp.start();
  const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID' });
  expect(() => op.relyingParty({ idTokenAlgorithms: ['HS256', 'RS256'] })).toThrow(refused);
  expect(() =>
    op.relyingParty({ idTokenAlgorithms: ['HS256'], clientAuthentication: { method: 'client_secret_post', secret: 'short' } }),
  ).toThrow(refused);
  expect(() => op.relyingParty({ idTokenAlgorithms: ['HS256'], clientAuthentication: { method: 'none' } })).toThrow(refused);
  expect(() => op.relyingParty({ userInfoAlgorithms: ['HS256' as 'RS256'] })).toThrow(refused);
});
