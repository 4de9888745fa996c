/** The asymmetric signature algorithms that may be registered for a client. `none` cannot be expressed. */
export type AsymmetricAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519';

/** Algorithms whose key is the client secret. Never registered beside asymmetric ones. */
export type HmacAlgorithm = 'HS256' | 'HS384' | 'HS512';

/** A signature algorithm that may be registered for a client. */
export type SigningAlgorithm = AsymmetricAlgorithm | HmacAlgorithm;

/** The key type that an algorithm takes, and the hash that `at_hash` uses with it (OpenID Connect Core §3.1.3.6). */
export interface AlgorithmFacts {
  kty: 'RSA' | 'EC' | 'OKP' | 'oct';
  crv?: string;
  hash: 'SHA-256' | 'SHA-384' | 'SHA-512';
}

/** Facts about every algorithm that this package can be configured to accept. */
export const algorithmFacts: ReadonlyMap<string, AlgorithmFacts> = new Map<SigningAlgorithm, AlgorithmFacts>([
  ['RS256', { kty: 'RSA', hash: 'SHA-256' }],
  ['RS384', { kty: 'RSA', hash: 'SHA-384' }],
  ['RS512', { kty: 'RSA', hash: 'SHA-512' }],
  ['PS256', { kty: 'RSA', hash: 'SHA-256' }],
  ['PS384', { kty: 'RSA', hash: 'SHA-384' }],
  ['PS512', { kty: 'RSA', hash: 'SHA-512' }],
  ['ES256', { kty: 'EC', crv: 'P-256', hash: 'SHA-256' }],
  ['ES384', { kty: 'EC', crv: 'P-384', hash: 'SHA-384' }],
  ['ES512', { kty: 'EC', crv: 'P-521', hash: 'SHA-512' }],
  ['EdDSA', { kty: 'OKP', crv: 'Ed25519', hash: 'SHA-512' }],
  ['Ed25519', { kty: 'OKP', crv: 'Ed25519', hash: 'SHA-512' }],
  ['HS256', { kty: 'oct', hash: 'SHA-256' }],
  ['HS384', { kty: 'oct', hash: 'SHA-384' }],
  ['HS512', { kty: 'oct', hash: 'SHA-512' }],
]);

/** Shorter RSA keys are never used to verify (RFC 7518 §3.3). */
export const minRsaBits = 2048;

/** Whether the algorithm is keyed with a shared secret. */
export function isHmac(algorithm: string): algorithm is HmacAlgorithm {
  return algorithmFacts.get(algorithm)?.kty === 'oct';
}
