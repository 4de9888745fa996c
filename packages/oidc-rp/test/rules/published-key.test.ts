import { describe, expect, test } from 'vitest';
import { fitsAlgorithm, readPublishedKey } from '../../src/keys/jwk.ts';
import { keptKey } from '../support/forge.ts';

// Found by mutation testing: each of these could be lost without another test noticing.

describe('a published key', () => {
  const jwk = { kty: 'EC', crv: 'P-256', n: 'n', e: 'e', x: 'x', y: 'y' };

  test('equals another only in kind, curve and numbers', () => {
    const { material } = readPublishedKey(jwk);
    expect(readPublishedKey({ ...jwk, kid: 'other', use: 'enc' }).material).toBe(material);
    for (const member of Object.keys(jwk)) {
      expect(readPublishedKey({ ...jwk, [member]: 'another' }).material, member).not.toBe(material);
    }
    expect(readPublishedKey(null)).toMatchObject({ kty: '', material: '["","","","","",""]' });
  });

  test('fits the algorithms of its kind and curve, and the one it was published for', () => {
    const fits = (key: object, algorithm: string) => fitsAlgorithm(readPublishedKey(key), algorithm);
    expect(fits({ kty: 'EC', crv: 'P-256' }, 'ES256')).toBe(true);
    expect(fits({ kty: 'EC', crv: 'P-256', alg: 'ES256' }, 'ES256')).toBe(true);
    expect(fits({ kty: 'EC', crv: 'P-256', alg: 'ES384' }, 'ES256')).toBe(false);
    expect(fits({ kty: 'EC', crv: 'P-384' }, 'ES256')).toBe(false);
    expect(fits({ kty: 'OKP', crv: 'P-256' }, 'ES256')).toBe(false);
    expect(fits({ kty: 'RSA', crv: 'P-256' }, 'RS256')).toBe(false);
    expect(fits({}, 'none')).toBe(false);
  });

  test('is imported once per algorithm', async () => {
    const key = readPublishedKey((await keptKey('first')).publicJwk);
    expect(key.import('RS256')).toBe(key.import('RS256'));
    expect((await key.import('PS256')).algorithm.name).toBe('RSA-PSS');
    const edwards = readPublishedKey((await keptKey('first', 'EdDSA')).publicJwk);
    expect((await edwards.import('EdDSA')).algorithm.name).toBe('Ed25519');
  });

  test('is as long as its modulus without leading zeros', () => {
    const n = (zeros: number, bytes: number) =>
      Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(bytes, 0xff)]).toString('base64url');
    const faultOf = (modulus: string) => readPublishedKey({ kty: 'RSA', n: modulus, e: 'AQAB' }).fault;
    expect([faultOf(n(2, 256)), faultOf(n(2, 255))]).toEqual([undefined, 'modulus is shorter than 2048 bits']);
  });
});
