import { base64url } from 'jose';
import { algorithmFacts } from './algorithms.ts';

/**
 * The left half of the hash of a token, as `at_hash` and `c_hash` carry it (OpenID Connect Core §3.1.3.6, §3.3.2.11).
 * The hash is the one of the ID Token's own algorithm.
 */
export async function tokenHash(token: string, algorithm: string): Promise<string> {
  const hash = algorithmFacts.get(algorithm)?.hash ?? 'SHA-256';
  const digest = new Uint8Array(await crypto.subtle.digest(hash, new TextEncoder().encode(token)));
  return base64url.encode(digest.subarray(0, digest.length / 2));
}
