import { base64url } from 'jose';
import { algorithmFacts } from './algorithms.ts';
import { nodeCrypto } from './node-crypto.ts';

/**
 * The left half of the hash of a token, as in `at_hash` and `c_hash` (OpenID Connect Core §3.1.3.6, §3.3.2.11). It uses the hash
 * of the ID Token's own algorithm. Synchronous where the platform allows.
 */
export function tokenHash(token: string, algorithm: string): string | Promise<string> {
  const hash = algorithmFacts.get(algorithm)?.hash ?? 'SHA-256';
  return nodeCrypto === undefined
    ? tokenHashByWebCrypto(token, hash)
    : leftHalf(nodeCrypto.hash(hash.replace('-', ''), token, 'base64url'), hash);
}

/** The same with WebCrypto alone. */
export async function tokenHashByWebCrypto(token: string, hash: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest(hash, new TextEncoder().encode(token)));
  return base64url.encode(digest.subarray(0, digest.length / 2));
}

/** Half of a hash: the base64url characters may not end where the bytes do. */
function leftHalf(encoded: string, hash: string): string {
  const bits = Number(hash.slice(4)) / 2;
  const letters = Math.ceil(bits / 6);
  const spare = letters * 6 - bits;
  const last = alphabet.indexOf(encoded.charAt(letters - 1));
  return encoded.slice(0, letters - 1) + alphabet.charAt((last >> spare) << spare);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
