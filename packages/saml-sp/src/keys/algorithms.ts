import { constants, createHash, type KeyObject, verify } from 'node:crypto';
import { SamlError } from '../errors.ts';

/** How one signature algorithm verifies. `keyType` keeps keys of another type from being tried with it. */
export interface SignatureAlgorithm {
  hash: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  keyType: 'rsa' | 'ec';
  pss: boolean;
  /** SHA-1 is broken for signatures: only allowed by `dangerouslyAllowSha1`. */
  dangerous: boolean;
}

const rsa = (hash: SignatureAlgorithm['hash'], pss = false): SignatureAlgorithm => ({
  hash,
  keyType: 'rsa',
  pss,
  dangerous: hash === 'sha1',
});
const ec = (hash: SignatureAlgorithm['hash']): SignatureAlgorithm => ({
  hash,
  keyType: 'ec',
  pss: false,
  dangerous: hash === 'sha1',
});

/** The allow-list, by exact identifier. HMAC, DSA and MD5 are not on it and cannot be enabled. */
export const signatureAlgorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', rsa('sha256')],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', rsa('sha384')],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', rsa('sha512')],
  ['http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', rsa('sha256', true)],
  ['http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1', rsa('sha384', true)],
  ['http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1', rsa('sha512', true)],
  ['http://www.w3.org/2007/05/xmldsig-more#rsa-pss', rsa('sha256', true)],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256', ec('sha256')],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384', ec('sha384')],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512', ec('sha512')],
  ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', rsa('sha1')],
]);

/** Digests a Reference may use, by exact identifier. */
export const digestAlgorithms: ReadonlyMap<string, SignatureAlgorithm['hash']> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
  ['http://www.w3.org/2000/09/xmldsig#sha1', 'sha1'],
]);

/** The signature algorithm with that identifier; throws if it is not allowed. */
export function requireSignatureAlgorithm(identifier: string, allowSha1: boolean): SignatureAlgorithm {
  const found = signatureAlgorithms.get(identifier);
  if (found === undefined || (found.dangerous && !allowSha1)) {
    throw new SamlError(
      'SAML_SIGNATURE_ALGORITHM',
      `the signature algorithm ${JSON.stringify(identifier.slice(0, 100))} is not accepted`,
    );
  }
  return found;
}

/** The digest with that identifier; throws if it is not allowed. */
export function requireDigestAlgorithm(identifier: string, allowSha1: boolean): SignatureAlgorithm['hash'] {
  const found = digestAlgorithms.get(identifier);
  if (found === undefined || (found === 'sha1' && !allowSha1)) {
    throw new SamlError(
      'SAML_SIGNATURE_ALGORITHM',
      `the digest algorithm ${JSON.stringify(identifier.slice(0, 100))} is not accepted`,
    );
  }
  return found;
}

/** The digest of bytes or UTF-8 text. */
export const digest = (hash: string, data: Uint8Array | string): Buffer => createHash(hash).update(data).digest();

/**
 * Verifies one raw signature with one key. Returns false for anything wrong; never throws, so a caller cannot mistake an
 * exception for a yes.
 */
export function verifyRaw(algorithm: SignatureAlgorithm, key: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  const fits = key.asymmetricKeyType === algorithm.keyType || (algorithm.pss && key.asymmetricKeyType === 'rsa-pss');
  if (!fits) return false;
  try {
    if (algorithm.keyType === 'ec') return verify(algorithm.hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature);
    // The length must be that of the key's modulus (RFC 8017 8.1.2 step 1): OpenSSL also accepts a PSS signature that lost a leading zero.
    if (signature.length !== Math.ceil(key.asymmetricKeyDetails!.modulusLength! / 8)) return false;
    if (!algorithm.pss) return verify(algorithm.hash, data, key, signature);
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return verify(algorithm.hash, data, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }, signature);
  } catch {
    return false;
  }
}
