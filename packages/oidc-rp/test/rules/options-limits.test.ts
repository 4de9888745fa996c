import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { readConfiguration } from '../../src/client/configuration.ts';
import { scopeName } from '../../src/client/options.ts';
import type { RelyingPartyOptions } from '../../src/index.ts';
import { decryptionKeyFor, signingKeyFor } from '../../src/keys/key-shapes.ts';
import { type Check, either, listOf, may, members, numberIn, oneOf, text, wholeNumber } from '../../src/values/shape.ts';
import { FakeOp } from '../support/fake-op.ts';

// Found by mutation testing: each of these could be lost without another test noticing.

const op = await FakeOp.start();
const configured = (changes: object) => readConfiguration({ ...op.options(), ...changes } as RelyingPartyOptions);
const refusal = (changes: object) => {
  try {
    configured(changes);
  } catch (error) {
    const { check, expected, received } = error as Record<string, unknown>;
    return { check, expected, received };
  }
  throw new Error('it was accepted');
};
const said = (check: Check, value: unknown) => {
  const fault = check(value, 'x');
  return fault && [fault.path, fault.expected, fault.received];
};

describe('a shape', () => {
  test.each([
    [text(3), ['a', 'abc'], ['', 'abcd', 'a\n', 'a\u007f', 7], 'a string of 1 to 3 characters without control characters'],
    [numberIn(0.5, 2), [0.5, 1, 2], [0.4, 2.1, Number.NaN, '1', 1n], 'a number from 0.5 to 2'],
    [wholeNumber(1, 3), [1, 2, 3], [0, 4, 1.5, '2', null], 'a whole number from 1 to 3'],
    [wholeNumber(1), [1, Number.MAX_SAFE_INTEGER], [0, Number.MAX_SAFE_INTEGER + 1], 'a whole number from 1 up'],
    [oneOf(['a', 'b']), ['a', 'b'], ['c', '', 7, ['a']], 'one of a, b'],
    [listOf(text(), 'words'), [[], ['a']], ['a', {}, null], 'an array of words'],
    [listOf(text(), 'words', 2), [['a', 'b']], [[], ['a']], 'an array of at least 2 of words'],
    [members({ a: may(text()) }), [{}, { a: 'x' }, { a: undefined }], [null, [], 'a'], 'an object'],
    [either(oneOf(['a']), wholeNumber(1, 2)), ['a', 2], ['b', 3], 'one of a, or a whole number from 1 to 2'],
    [scopeName, ['a', 'a'.repeat(200), '!#[]~'], ['', 'a b', 'a"', 'a\\', 'a'.repeat(201), 7], 'a scope without spaces'],
  ])('%# accepts what it names and refuses the rest', (check, good, bad, expected) => {
    for (const value of good) expect(said(check, value), String(value)).toBeUndefined();
    for (const value of bad) expect(said(check, value)?.slice(0, 2), String(value)).toEqual(['x', expected]);
  });

  test('shows numbers and flags, but only the kind of other values', () => {
    const kinds: [unknown, string][] = [
      [null, 'null'],
      [undefined, 'undefined'],
      [7, 'number 7'],
      [true, 'boolean true'],
      ['', 'an empty string'],
      ['secret', 'a string of 6 characters'],
      [['secret'], 'an array of 1'],
      [{ secret: 1 }, 'a value of type object'],
    ];
    for (const [value, kind] of kinds) expect(said(oneOf(['a']), value)).toEqual(['x', 'one of a', kind]);
    expect(said(members({ a: may(text()), b: may(text()) }), { c: 1 })).toEqual(['x.c', 'only a, b', 'the unknown name c']);
  });
});

describe('a private key', () => {
  const takes = (check: Check, value: unknown) => check(value, 'x') === undefined;

  test('signs only with the algorithm that it was made for', async () => {
    const algorithms = ['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];
    const pairs = await Promise.all(
      algorithms.map(async name => ({ name, ...(await generateKeyPair(name, { extractable: true })) })),
    );
    for (const { name, privateKey, publicKey } of pairs) {
      for (const other of algorithms)
        expect(takes(signingKeyFor(other), privateKey), `${name} for ${other}`).toBe(name === other);
      expect(takes(signingKeyFor(name), publicKey)).toBe(false);
      const jwk = await exportJWK(privateKey);
      for (const other of algorithms) {
        const fits = name === other || (/^[RP]S/.test(name) && /^[RP]S/.test(other));
        expect(takes(signingKeyFor(other), jwk), `JWK of ${name} for ${other}`).toBe(fits);
      }
      expect(takes(signingKeyFor(name), await exportJWK(publicKey))).toBe(false);
    }
    const agreeing = await generateKeyPair('ECDH-ES');
    expect(takes(signingKeyFor('ES256'), agreeing.privateKey)).toBe(false);
    expect(takes(signingKeyFor('HS257'), pairs[0]!.privateKey)).toBe(false);
    expect(said(signingKeyFor('ES256'), 'PEM')).toEqual([
      'x',
      'a private CryptoKey or JWK for ES256',
      'a string of 3 characters',
    ]);
  });

  test('decrypts only with the kind of algorithm that it was made for', async () => {
    const [rsa, agreeing, signing] = [
      await generateKeyPair('RSA-OAEP-256', { extractable: true }),
      await generateKeyPair('ECDH-ES', { extractable: true }),
      await generateKeyPair('ES256', { extractable: true }),
    ];
    const [sha1, curve] = [await generateKeyPair('RSA-OAEP'), await generateKeyPair('ECDH-ES', { crv: 'X25519' })];
    const made = [rsa, sha1, agreeing, curve].map(({ privateKey }) => privateKey);
    const takenBy = (algorithm: string) => made.map(key => takes(decryptionKeyFor(algorithm), key));
    expect(takenBy('RSA-OAEP-256')).toEqual([true, false, false, false]);
    expect(takenBy('RSA-OAEP')).toEqual([false, true, false, false]);
    for (const algorithm of ['ECDH-ES', 'ECDH-ES+A128KW']) expect(takenBy(algorithm)).toEqual([false, false, true, true]);
    for (const algorithm of ['RSA-OAEP-256', 'ECDH-ES']) {
      for (const wrong of [rsa.publicKey, agreeing.publicKey, signing.privateKey, 'PEM', null, undefined, 7, {}]) {
        expect(takes(decryptionKeyFor(algorithm), wrong)).toBe(false);
      }
    }
    const [rsaJwk, ecJwk] = [await exportJWK(rsa.privateKey), await exportJWK(agreeing.privateKey)];
    const okp = { kty: 'OKP', crv: 'X25519', x: 'AA', d: 'AA' };
    expect([rsaJwk, ecJwk, okp].map(jwk => takes(decryptionKeyFor('RSA-OAEP-256'), jwk))).toEqual([true, false, false]);
    expect([rsaJwk, ecJwk, okp].map(jwk => takes(decryptionKeyFor('ECDH-ES'), jwk))).toEqual([false, true, true]);
    for (const broken of [
      { ...ecJwk, d: '' },
      { ...ecJwk, d: 7 },
      { ...ecJwk, d: undefined },
      { ...ecJwk, kty: ['EC'] },
    ]) {
      expect(takes(decryptionKeyFor('ECDH-ES'), broken)).toBe(false);
    }
    expect(said(decryptionKeyFor('ECDH-ES'), null)).toEqual(['x', 'a private CryptoKey or JWK for ECDH-ES', 'null']);
  });

  test('may have many uses if the required one is among them', async () => {
    const { privateKey } = await crypto.subtle.generateKey(
      { name: 'RSA-OAEP', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
      false,
      ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
    );
    expect(takes(decryptionKeyFor('RSA-OAEP-256'), privateKey)).toBe(true);
  });

  test('needs one of the uses that decrypt', async () => {
    const rsa = { name: 'RSA-OAEP', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) };
    const wrapping = await crypto.subtle.generateKey(rsa, false, ['wrapKey', 'unwrapKey']);
    expect(takes(decryptionKeyFor('RSA-OAEP-256'), wrapping.privateKey)).toBe(true);
    for (const usage of ['deriveBits', 'deriveKey'] as const) {
      const agreeing = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, [usage]);
      expect(takes(decryptionKeyFor('ECDH-ES'), agreeing.privateKey)).toBe(true);
    }
  });

  test('is not a shared secret', async () => {
    const secret = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt', 'decrypt']);
    expect(takes(decryptionKeyFor('RSA-OAEP-256'), secret)).toBe(false);
  });
});

describe('the defaults', () => {
  test('are strict and replace no given value', () => {
    const { dangerouslyAllowLoopbackHttp: _, clockToleranceSeconds: __, ...options } = op.options();
    const plain = readConfiguration(options);
    expect(plain).toMatchObject({
      scopes: ['openid'],
      responseMode: 'query',
      pushesRequests: 'when-required',
      consentForOfflineAccess: true,
      frontChannelLogoutSessionRequired: true,
      backChannelLogoutSessionRequired: false,
      clockToleranceSeconds: 30,
      idTokenAlgorithms: ['RS256'],
      authorizationResponseAlgorithms: ['RS256'],
      redirectRules: {
        applicationType: 'web',
        dangerouslyAllowLoopbackHttp: false,
        dangerouslyAllowLocalhostRedirect: false,
      },
    });
    const replayStore = { claim: () => true, release: () => undefined };
    const given = {
      pushedAuthorizationRequests: 'always',
      consentForOfflineAccess: false,
      frontChannelLogoutSessionRequired: false,
      backChannelLogoutSessionRequired: true,
      clockToleranceSeconds: 0,
      replayStore,
      applicationType: 'native',
      dangerouslyAllowLoopbackHttp: true,
      dangerouslyAllowLocalhostRedirect: true,
    };
    const { pushedAuthorizationRequests, applicationType, dangerouslyAllowLoopbackHttp, ...rest } = given;
    const { dangerouslyAllowLocalhostRedirect, ...same } = rest;
    expect(configured(given)).toMatchObject({
      ...same,
      pushesRequests: pushedAuthorizationRequests,
      redirectRules: { applicationType, dangerouslyAllowLoopbackHttp, dangerouslyAllowLocalhostRedirect },
    });
    expect([configured(given).replayStore, configured(given).answered]).toEqual([replayStore, replayStore]);
    expect(configured({ clientAuthentication: { method: 'none' } }).redirectRules.applicationType).toBe('native');
  });

  test('use the given clock', () => {
    let now = 0;
    const { replayStore } = configured({ now: () => new Date(now) });
    expect([replayStore.claim('a', new Date(10)), replayStore.claim('a', new Date(10))]).toEqual([true, false]);
    now = 10;
    expect(replayStore.claim('a', new Date(20))).toBe(true);
  });
});

describe('options that must fit each other', () => {
  const secret = (length: number) => ({
    clientAuthentication: { method: 'client_secret_basic', secret: 'ü'.repeat(length / 2) },
  });
  const hmac = { idTokenAlgorithms: ['HS256', 'HS512'] };

  test('name what is expected', () => {
    expect(refusal({ limits: { minCacheSeconds: 61, maxCacheSeconds: 60 } })).toMatchObject({
      check: 'options.limits.minCacheSeconds',
      expected: 'at most maxCacheSeconds',
    });
    expect(configured({ limits: { minCacheSeconds: 60, maxCacheSeconds: 60 } }).limits.minCacheSeconds).toBe(60);
    expect(refusal({ idTokenAlgorithms: ['HS256', 'RS256'] })).toMatchObject({
      check: 'options.idTokenAlgorithms',
      expected: 'either HMAC or asymmetric algorithms, never both',
    });
    const tooShort = {
      check: 'options.clientAuthentication.secret',
      expected: 'at least 64 bytes, as RFC 7518 §3.2 requires for an HMAC key',
    };
    expect(refusal({ ...hmac, ...secret(62) })).toMatchObject(tooShort);
    expect(refusal({ ...hmac, clientAuthentication: { method: 'none' } })).toMatchObject(tooShort);
    expect(configured({ ...hmac, ...secret(64) }).idTokenAlgorithms).toEqual(['HS256', 'HS512']);
    expect(
      refusal({ ...hmac, clientAuthentication: { method: 'client_secret_post', secret: async () => 'a'.repeat(64) } }),
    ).toMatchObject({
      check: 'options.clientAuthentication.secret',
      expected: 'text, because it is also the key of the ID Tokens',
    });
    expect(refusal({ idTokenAlgorithms: ['HS256'], ...secret(32), responseMode: 'query.jwt' })).toMatchObject({
      check: 'options.authorizationResponseAlgorithms',
      expected: 'at least one asymmetric algorithm for a signed response',
    });
    const signed = { idTokenAlgorithms: ['HS256'], ...secret(32), responseMode: 'query.jwt' };
    expect(configured({ ...signed, authorizationResponseAlgorithms: ['ES256'] }).authorizationResponseAlgorithms).toEqual([
      'ES256',
    ]);
    expect(configured({ ...signed, responseMode: 'query' }).authorizationResponseAlgorithms).toEqual([]);
    for (const issuer of ['https://op.example?a=1', 'https://op.example?']) {
      expect(refusal({ issuer })).toMatchObject({ check: 'options.issuer', expected: 'a URL without a query' });
    }
  });

  test('name tenants by their ids, or all of them', () => {
    const issuer = 'https://login.microsoftonline.com/common/v2.0';
    const tenant = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    for (const entraTenants of ['any', [tenant]]) {
      expect(configured({ issuer, entraTenants }).issuerRule.accepts(issuer.replace('common', tenant), tenant)).toBe(true);
    }
    for (const entraTenants of ['all', '', true, {}]) {
      expect(refusal({ issuer, entraTenants })).toMatchObject({
        check: 'options.entraTenants',
        expected: 'any, or an array of tenant ids',
      });
    }
    for (const entraTenants of [[tenant.toUpperCase()], [7], ['any'], [[tenant]]]) {
      expect(refusal({ issuer, entraTenants })).toMatchObject({ check: 'options.entraTenants[0]' });
    }
    expect(refusal({ issuer, entraTenants: [] })).toMatchObject({ check: 'options.entraTenants' });
    for (const metadata of [[], 'issuer']) {
      expect(refusal({ metadata })).toMatchObject({ check: 'options.metadata', expected: 'an object' });
    }
  });
});
