import { base64url, importJWK } from 'jose';
import { isCanonicalBase64url } from '../values/base64url.ts';
import { isJsonObject, type JsonObject, withoutNulls } from '../values/json.ts';
import { algorithmFacts, minRsaBits } from './algorithms.ts';

const maxRsaBits = 8192;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** One published key and, if it must not be used to verify anything, the reason. */
export interface PublishedKey {
  kid: string | undefined;
  kty: string;
  crv: string | undefined;
  alg: string | undefined;
  /** The public numbers: two entries with the same numbers are the same key. */
  material: string;
  /** The issuer that the key signs for, if the set says so (an extension of Entra ID). */
  issuer: string | undefined;
  /** Why the key cannot be used: symmetric, private, weak, meant for encryption, malformed. */
  fault: string | undefined;
  /** The key for one algorithm; imported once. */
  import: (algorithm: string) => Promise<CryptoKey>;
}

/**
 * Reads one member of a key set. Never throws: a key that we cannot use must not hide those that we can. A null member counts as
 * absent.
 */
export function readPublishedKey(value: unknown): PublishedKey {
  const jwk = isJsonObject(value) ? withoutNulls(value) : {};
  const imported = new Map<string, Promise<CryptoKey>>();
  return {
    kid: ownText(jwk, 'kid'),
    kty: ownText(jwk, 'kty') ?? '',
    crv: ownText(jwk, 'crv'),
    alg: ownText(jwk, 'alg'),
    material: JSON.stringify(['kty', 'crv', 'n', 'e', 'x', 'y'].map(member => ownText(jwk, member) ?? '')),
    issuer: ownText(jwk, 'issuer'),
    fault: keyFault(jwk),
    import: algorithm => {
      const known = imported.get(algorithm) ?? importPublic(jwk, algorithm);
      imported.set(algorithm, known);
      return known;
    },
  };
}

/** Whether the key has the type that the algorithm takes, and was not published for another algorithm. */
export function fitsAlgorithm(key: PublishedKey, algorithm: string): boolean {
  const facts = algorithmFacts.get(algorithm);
  if (facts === undefined || key.kty !== facts.kty || key.crv !== facts.crv) return false;
  return key.alg === undefined || key.alg === algorithm;
}

function keyFault(jwk: JsonObject): string | undefined {
  if (jwk.kid !== undefined && typeof jwk.kid !== 'string') return 'kid is not text';
  if (privateMembers.some(member => Object.hasOwn(jwk, member))) return 'contains secret members';
  if (jwk.alg !== undefined && typeof jwk.alg !== 'string') return 'alg is not text';
  if (jwk.use !== undefined && jwk.use !== 'sig') return 'use is not "sig"';
  if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify')))
    return 'key_ops lacks "verify"';
  if (jwk.kty === 'RSA') return rsaFault(jwk);
  if (jwk.kty === 'EC') return coordinate(jwk, 'x') && coordinate(jwk, 'y') ? undefined : 'coordinates are malformed';
  if (jwk.kty === 'OKP') return coordinate(jwk, 'x') ? undefined : 'coordinate is malformed';
  return 'kty is not RSA, EC or OKP';
}

function rsaFault(jwk: JsonObject): string | undefined {
  const modulus = coordinate(jwk, 'n');
  const exponent = coordinate(jwk, 'e');
  if (modulus === undefined || exponent === undefined) return 'modulus or exponent is malformed';
  const bits = bitLength(modulus);
  if (bits < minRsaBits) return `modulus is shorter than ${minRsaBits} bits`;
  if (bits > maxRsaBits) return `modulus is longer than ${maxRsaBits} bits`;
  return exponentFault(exponent);
}

// With e = 1 every message is its own signature; small odd exponents have a history of forged paddings.
function exponentFault(bytes: Uint8Array): string | undefined {
  if (bytes.length > 4) return 'exponent is longer than 32 bits';
  const exponent = bytes.reduce((value, byte) => value * 256 + byte, 0);
  return exponent >= 65_537 && exponent % 2 === 1 ? undefined : 'exponent is even or smaller than 65537';
}

function bitLength(bytes: Uint8Array): number {
  const first = bytes.findIndex(byte => byte !== 0);
  return first === -1 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first]!) + 24;
}

function coordinate(jwk: JsonObject, member: string): Uint8Array | undefined {
  const text = ownText(jwk, member);
  return text !== undefined && text !== '' && isCanonicalBase64url(text) ? base64url.decode(text) : undefined;
}

function ownText(jwk: JsonObject, member: string): string | undefined {
  const value = Object.hasOwn(jwk, member) ? jwk[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

// Only the members that make up the key: the rest was checked above and may not influence the import.
function importPublic(jwk: JsonObject, algorithm: string): Promise<CryptoKey> {
  const { kty, crv, n, e, x, y } = jwk as Record<string, string>;
  const members =
    kty === 'RSA' ? { kty, n: n!, e: e! } : kty === 'EC' ? { kty, crv: crv!, x: x!, y: y! } : { kty: kty!, crv: crv!, x: x! };
  // Extractable, which is harmless for a public key: Node takes over no other from WebCrypto (`node-signature.ts`).
  return importJWK(members, algorithm, { extractable: true }) as Promise<CryptoKey>;
}
