import type { JWK } from 'jose';
import { type Check, that } from '../values/shape.ts';
import { algorithmFacts } from './algorithms.ts';

/** A private key in a form this package accepts: a CryptoKey, or a JWK with its private members. */
export type PrivateKey = CryptoKey | JWK;

/** Checks for a private key that signs with the algorithm. A PEM, a public key and a shared secret are refused. */
export function signingKeyFor(algorithm: unknown): Check {
  return that(`a private CryptoKey or JWK for ${String(algorithm)}`, value => signsWith(value, String(algorithm)));
}

/** Checks for an exportable public key of the same kind. */
export function publicKeyFor(algorithm: unknown): Check {
  return that(`an exportable public CryptoKey for ${String(algorithm)}`, value => isPublicFor(value, String(algorithm)));
}

function isPublicFor(value: unknown, algorithm: string): boolean {
  const isPublic = value instanceof CryptoKey && value.type === 'public' && value.extractable;
  return isPublic && isKeyOf(value, algorithm);
}

/** Checks for a private key that decrypts with the key management algorithm. */
export function decryptionKeyFor(algorithm: unknown): Check {
  const kinds = String(algorithm).startsWith('RSA') ? ['RSA'] : ['EC', 'OKP'];
  return that(
    `a private CryptoKey or JWK for ${String(algorithm)}`,
    value =>
      isPrivate(value, kinds, ['decrypt', 'unwrapKey', 'deriveBits', 'deriveKey']) &&
      (!(value instanceof CryptoKey) || decryptsWith(value, String(algorithm))),
  );
}

// A key for another hash could not decrypt any token.
function decryptsWith({ algorithm: made }: CryptoKey, algorithm: string): boolean {
  const { name, hash } = made as { name: string; hash?: { name: string } };
  if (!algorithm.startsWith('RSA')) return name === 'ECDH' || name === 'X25519';
  return name === 'RSA-OAEP' && hash?.name === (algorithm === 'RSA-OAEP' ? 'SHA-1' : 'SHA-256');
}

function signsWith(value: unknown, algorithm: string): boolean {
  const facts = algorithmFacts.get(algorithm);
  if (facts === undefined || !isPrivate(value, [facts.kty], ['sign'])) return false;
  if (!(value instanceof CryptoKey)) return facts.crv === undefined || (value as JWK).crv === facts.crv;
  return isKeyOf(value, algorithm);
}

function isKeyOf(value: CryptoKey, algorithm: string): boolean {
  const facts = algorithmFacts.get(algorithm);
  if (facts === undefined) return false;
  const { name, namedCurve, hash } = value.algorithm as { name: string; namedCurve?: string; hash?: { name: string } };
  if (facts.kty === 'RSA')
    return name === (algorithm.startsWith('PS') ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5') && hash?.name === facts.hash;
  return name === facts.crv || namedCurve === facts.crv;
}

function isPrivate(value: unknown, kinds: readonly string[], usages: readonly string[]): boolean {
  if (value instanceof CryptoKey) return value.type === 'private' && value.usages.some(usage => usages.includes(usage));
  if (typeof value !== 'object' || value === null) return false;
  const { kty, d } = value as JWK;
  return typeof kty === 'string' && kinds.includes(kty) && typeof d === 'string' && d !== '';
}
