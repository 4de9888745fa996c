import { minRsaBits } from './algorithms.ts';
import { type NodeCrypto, nodeCrypto } from './node-crypto.ts';

/** Whether the key made this signature over these bytes. */
export type Verify = (data: Uint8Array, signature: Uint8Array) => boolean;

interface Verifier {
  /** The only JWS algorithm that the key was imported for. */
  algorithm: string;
  verify: Verify;
}

interface KeyAlgorithmFacts {
  name: string;
  hash?: { name: string };
  namedCurve?: string;
  modulusLength?: number;
}

const rsaFamilies: ReadonlyMap<string, string> = new Map([
  ['RSASSA-PKCS1-v1_5', 'RS'],
  ['RSA-PSS', 'PS'],
]);
// Longer keys take milliseconds, so WebCrypto verifies them in another thread.
const maxRsaBits = 4096;
const verifiers = new WeakMap<CryptoKey, Verifier | undefined>();

/**
 * Verifies with Node's own cryptography the signatures that take microseconds, RSA up to 4096 bits and ES256, in half the time of
 * WebCrypto (RFC 7518 §3.3 to §3.5). The algorithm is read from the imported key, never from the token: for any other one there
 * is no verifier.
 *
 * @returns undefined for other platforms, keys or algorithms; then `jose` verifies
 */
export function nodeVerifier(algorithm: string, key: CryptoKey): Verify | undefined {
  if (!verifiers.has(key)) verifiers.set(key, makeVerifier(nodeCrypto, key));
  const known = verifiers.get(key);
  return known?.algorithm === algorithm ? known.verify : undefined;
}

/** The same, uncached, with the platform's cryptography as a parameter; without it there is no verifier. */
export function makeVerifier(node: NodeCrypto | undefined, key: CryptoKey): Verifier | undefined {
  if (node === undefined) return undefined;
  if (key.type !== 'public' || !key.extractable || !key.usages.includes('verify')) return undefined;
  try {
    return makeRsa(node, key) ?? makeEcdsa(node, key);
  } catch {
    // A runtime that resembles Node but cannot take over WebCrypto keys.
    return undefined;
  }
}

function makeRsa(node: NodeCrypto, key: CryptoKey): Verifier | undefined {
  const { name, hash, modulusLength = 0 } = key.algorithm as KeyAlgorithmFacts;
  const family = rsaFamilies.get(name);
  if (family === undefined || hash === undefined || modulusLength < minRsaBits || modulusLength > maxRsaBits) return undefined;
  const bits = Number(hash.name.slice('SHA-'.length));
  const padding = family === 'PS' ? { padding: node.constants.RSA_PKCS1_PSS_PADDING, saltLength: bits / 8 } : {};
  return { algorithm: `${family}${bits}`, verify: verifyBy(node, bits, { ...padding, key: node.KeyObject.from(key) }) };
}

function makeEcdsa(node: NodeCrypto, key: CryptoKey): Verifier | undefined {
  const { name, namedCurve } = key.algorithm as KeyAlgorithmFacts;
  if (name !== 'ECDSA' || namedCurve !== 'P-256') return undefined;
  // `r` and `s` concatenated, 32 bytes each: DER and any other length are refused.
  const encoding = { dsaEncoding: 'ieee-p1363', key: node.KeyObject.from(key) };
  return { algorithm: 'ES256', verify: verifyBy(node, 256, encoding) };
}

function verifyBy(node: NodeCrypto, bits: number, key: object): Verify {
  return (data, signature) => {
    try {
      return node.verify(`sha${bits}`, data, key, signature);
    } catch {
      // Whatever the reason why the key could not verify the token: it is not verified.
      return false;
    }
  };
}
