import { createPrivateKey, createPublicKey, KeyObject, X509Certificate } from 'node:crypto';
import { SamlError } from '../errors.ts';
import { misfit, type Reader, shape, text } from '../values/shape.ts';

/** A key of this service provider, with the certificate that publishes its public half in metadata. */
export interface KeyPair {
  /** PEM (PKCS#8 or PKCS#1) or a KeyObject. RSA with at least 2048 bits, or EC on P-256, P-384, P-521. */
  privateKey: string | KeyObject;
  /** PEM. It may be self-signed or expired: SAML trusts the key, not the certificate (saml-metadata-2.0, IIP-MD11). */
  certificate: string;
}

const privateKeyReader: Reader<string | KeyObject> = (value, path) =>
  typeof value === 'string' || (value instanceof KeyObject && value.type === 'private')
    ? value
    : misfit(path, 'a PEM text or a private KeyObject', value);

export const keyPairReader: Reader<KeyPair> = shape({ privateKey: privateKeyReader, certificate: text('a PEM certificate') });

/** A `KeyPair` that was read and verified to match. */
export interface LoadedKeyPair {
  privateKey: KeyObject;
  /** Base64 of the certificate's DER, as used in metadata. */
  certificate: string;
}

/** Refuses keys that are too weak: RSA below 2048 bits or with a tiny exponent, EC below 256 (SDP-MD06, 07). */
export function requireStrongKey(key: KeyObject): KeyObject {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType === 'rsa' || key.asymmetricKeyType === 'rsa-pss') {
    if ((details?.modulusLength ?? 0) < 2048)
      throw new SamlError('SAML_KEY', `an RSA key of ${details?.modulusLength} bits is too short`);
    if ((details?.publicExponent ?? 0n) < 65537n) throw new SamlError('SAML_KEY', 'an RSA key with an exponent below 65537');
    return key;
  }
  if (key.asymmetricKeyType === 'ec' && ['prime256v1', 'secp384r1', 'secp521r1'].includes(details?.namedCurve ?? '')) return key;
  throw new SamlError('SAML_KEY', `a key of type ${key.asymmetricKeyType} is not accepted`);
}

/** The public key of a certificate (base64 or PEM). Its dates, names and signature are ignored. */
export function publicKeyOfCertificate(certificate: string): KeyObject {
  const base64 = certificate.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
  try {
    return new X509Certificate(Buffer.from(base64, 'base64')).publicKey;
  } catch (cause) {
    throw new SamlError('SAML_KEY', 'a certificate cannot be read', { cause });
  }
}

/** Reads a key pair; refuses a certificate that does not belong to the key. */
export function loadKeyPair(pair: KeyPair): LoadedKeyPair {
  const privateKey = typeof pair.privateKey === 'string' ? readPrivateKey(pair.privateKey) : pair.privateKey;
  requireStrongKey(createPublicKey(privateKey as never));
  const published = publicKeyOfCertificate(pair.certificate);
  if (!published.equals(createPublicKey(privateKey as never)))
    throw new SamlError('SAML_KEY', 'a certificate does not belong to its private key');
  return { privateKey, certificate: pair.certificate.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '') };
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new SamlError('SAML_KEY', 'a private key cannot be read', { cause });
  }
}
