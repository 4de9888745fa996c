import { compactVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { type JwsRules, readCompactJws, verifyJws } from '../../src/keys/jws.ts';
import { nodeCrypto } from '../../src/keys/node-crypto.ts';
import { makeVerifier, nodeVerifier } from '../../src/keys/node-signature.ts';
import { errorOf } from '../support/expect-refused.ts';
import { base64url, keptKey, type SigningKey, signBytes, signingInput } from '../support/forge.ts';

// RSA and ES256 signatures are verified by Node at once, and by jose elsewhere: both must say the same of every signature.

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256'];
const slow = ['ES384', 'ES512', 'EdDSA'];

const rulesFor = (alg: string): JwsRules => ({
  subject: 'id_token',
  algorithms: [alg],
  types: ['jwt'],
  limits: { maxTokenBytes: 10_000, maxTokenHeaderBytes: 1000 },
});

const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));

function spoiled(good: Uint8Array): Uint8Array[] {
  const flips = Array.from({ length: 24 }, (_, at) => flipped(good, Math.floor((at * (good.length - 1)) / 23)));
  const half = good.length / 2;
  return [
    ...flips,
    good.subarray(1),
    good.subarray(0, -1),
    good.subarray(0, half),
    Buffer.concat([good, Buffer.alloc(1)]),
    Buffer.concat([Buffer.alloc(1), good]),
    Buffer.concat([good.subarray(half), good.subarray(0, half)]),
    new Uint8Array(good.length),
    new Uint8Array(good.length).fill(255),
    new Uint8Array(0),
  ];
}

const byJose = (token: string, { alg, publicKey }: SigningKey): Promise<boolean> =>
  compactVerify(token, publicKey, { algorithms: [alg] }).then(
    () => true,
    () => false,
  );

test.each(algorithms)('Node and jose agree on every %s signature', async alg => {
  const key = await keptKey('first', alg);
  let input = signingInput({ alg, kid: 'first' }, { sub: 'sub' });
  // OpenSSL takes a signature without its leading zero as well: the length is checked before either verifies.
  let good = await signBytes(input, key);
  for (let at = 0; good[0] === 0; at += 1) {
    input = signingInput({ alg, kid: 'first' }, { sub: `sub-${at}` });
    good = await signBytes(input, key);
  }
  const verify = nodeVerifier(alg, key.publicKey);
  const byNode = (signature: Uint8Array) => verify?.(new TextEncoder().encode(input), signature);
  expect([byNode(good), await byJose(`${input}.${base64url(good)}`, key)]).toEqual([true, true]);
  for (const bad of spoiled(good)) {
    expect([byNode(bad), await byJose(`${input}.${base64url(bad)}`, key)], base64url(bad)).toEqual([false, false]);
  }
  expect(verify?.(new TextEncoder().encode(`${input}A`), good)).toBe(false);
});

describe('an RSA signature without its leading zero, or with one more, is refused (RFC 8017 §8.1.2)', () => {
  test.each(['RS256', 'PS256'])('%s', async alg => {
    const key = await keptKey('first', alg);
    let input = '';
    let good: Uint8Array = Uint8Array.of(1);
    // One signature of 256 begins with a zero.
    for (let at = 0; good[0] !== 0; at += 1) {
      input = signingInput({ alg, kid: 'first' }, { sub: `sub-${at}` });
      good = await signBytes(input, key);
    }
    const short = good.subarray(1);
    const byOpenSsl = nodeVerifier(alg, key.publicKey)?.(new TextEncoder().encode(input), short);
    expect(byOpenSsl, 'what OpenSSL says of the shorter one').toBe(alg === 'PS256');
    // A key that cannot be exported is left to jose.
    const jwk = await crypto.subtle.exportKey('jwk', key.publicKey);
    const left = await crypto.subtle.importKey('jwk', jwk, key.publicKey.algorithm as RsaHashedImportParams, false, ['verify']);
    for (const publicKey of [key.publicKey, left]) {
      const verify = (signature: Uint8Array) => {
        const token = readCompactJws(`${input}.${base64url(signature)}`, rulesFor(alg));
        return verifyJws(token, { find: () => [publicKey] }, rulesFor(alg));
      };
      expect((await verify(good)).algorithm).toBe(alg);
      for (const bad of [short, Buffer.concat([Buffer.alloc(1), good])]) {
        expect((await errorOf(verify(bad))).code).toBe('OIDC_JWT_SIGNATURE');
      }
    }
  });
});

test('a PSS signature with a salt of another length is refused by both (RFC 7518 §3.5)', async () => {
  const key = await keptKey('first', 'PS256');
  const input = signingInput({ alg: 'PS256' }, { sub: 'sub-1' });
  const data = new TextEncoder().encode(input);
  for (const saltLength of [0, 20, 31, 33]) {
    const signature = new Uint8Array(await crypto.subtle.sign({ name: 'RSA-PSS', saltLength }, key.privateKey, data));
    expect(nodeVerifier('PS256', key.publicKey)?.(data, signature), `salt of ${saltLength}`).toBe(false);
    expect(await byJose(`${input}.${base64url(signature)}`, key)).toBe(false);
  }
});

describe('Node verifies nothing', () => {
  test.each(algorithms)('with a key of another algorithm than %s', async alg => {
    for (const other of [...algorithms, ...slow]) {
      const { publicKey } = await keptKey('first', other);
      expect(nodeVerifier(alg, publicKey) !== undefined, `${alg} with a key of ${other}`).toBe(alg === other);
    }
  });

  test.each([...slow, 'HS256', 'none', 'ES256K', ''])('by the algorithm %j', async alg => {
    for (const other of [...algorithms, ...slow]) {
      expect(nodeVerifier(alg, (await keptKey('first', other)).publicKey)).toBeUndefined();
    }
  });

  test.each(['RS256', 'ES256'])('with a private key, one that must not verify, or one that stays where it is (%s)', async alg => {
    const { publicKey, privateKey } = await keptKey('first', alg);
    const jwk = await crypto.subtle.exportKey('jwk', publicKey);
    const parameters = publicKey.algorithm as EcKeyImportParams;
    const idle = await crypto.subtle.importKey('jwk', { ...jwk, key_ops: [] }, parameters, true, []);
    const kept = await crypto.subtle.importKey('jwk', jwk, parameters, false, ['verify']);
    for (const key of [privateKey, idle, kept]) expect(nodeVerifier(alg, key)).toBeUndefined();
  });

  test('with an RSA key of less than 2048 bits, nor of more than 4096, which takes long', async () => {
    const make = (modulusLength: number) =>
      crypto.subtle.generateKey(
        { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength, publicExponent: Uint8Array.of(1, 0, 1) },
        true,
        ['sign', 'verify'],
      );
    expect(nodeVerifier('RS256', (await make(2040)).publicKey)).toBeUndefined();
    expect(nodeVerifier('RS256', (await make(2048)).publicKey)).toBeDefined();
    expect(nodeVerifier('RS256', (await make(4096)).publicKey)).toBeDefined();
    expect(nodeVerifier('RS256', (await make(4104)).publicKey)).toBeUndefined();
  });

  test('with an RSA key for another use', async () => {
    const { publicKey } = await crypto.subtle.generateKey(
      { name: 'RSA-OAEP', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
      true,
      ['encrypt', 'decrypt'],
    );
    expect(nodeVerifier('RS256', publicKey)).toBeUndefined();
  });
});

test.each([...algorithms, ...slow])('where there is no Node, %s signatures are left to jose', async alg => {
  expect(makeVerifier(undefined, (await keptKey('first', alg)).publicKey)).toBeUndefined();
});

test('what only resembles Node verifies nothing by itself, and a verification that fails in it is no yes', async () => {
  const { publicKey } = await keptKey('first', 'RS256');
  const refuse = (): never => {
    throw new Error('not implemented');
  };
  const node = nodeCrypto!;
  expect(makeVerifier({ ...node, constants: node.constants, KeyObject: { from: refuse } }, publicKey)).toBeUndefined();
  const broken = makeVerifier({ ...node, constants: node.constants, KeyObject: node.KeyObject, verify: refuse }, publicKey);
  expect(broken?.verify(new Uint8Array(1), new Uint8Array(256))).toBe(false);
});

describe('a verifier that is made anew', () => {
  test.each(algorithms)('for a key of %s verifies by that algorithm, and its signatures alone', async alg => {
    const key = await keptKey('first', alg);
    const data = new TextEncoder().encode(signingInput({ alg }, { sub: 'sub-1' }));
    const good = await signBytes(new TextDecoder().decode(data), key);
    const made = makeVerifier(nodeCrypto, key.publicKey);
    expect(made?.algorithm).toBe(alg);
    expect([made?.verify(data, good), made?.verify(data, flipped(good, 5)), made?.verify(good, good)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each(slow)('for a key of %s is none', async alg => {
    expect(makeVerifier(nodeCrypto, (await keptKey('first', alg)).publicKey)).toBeUndefined();
  });

  test('for a key that is private, secret or without a hash of its own is none', async () => {
    const { privateKey } = await keptKey('first', 'ES256');
    const secret = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify']);
    const agreement = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
    for (const key of [privateKey, secret, agreement.publicKey]) expect(makeVerifier(nodeCrypto, key)).toBeUndefined();
  });
});
