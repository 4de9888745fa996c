import { createDecipheriv, type KeyObject } from 'node:crypto';
import type { XmlElement } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';
import { ns } from '../xml/names.ts';
import { childElements, childrenNamed, findAttribute, findChild, getAttribute, getChild, isNamed, textOf } from '../xml/xml.ts';
import { decryptOaep } from './oaep.ts';

/** How one block encryption algorithm is decrypted. */
interface BlockCipher {
  name: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' | 'aes-128-cbc' | 'aes-192-cbc' | 'aes-256-cbc';
  keyBytes: number;
  cbc: boolean;
}

const gcm = (bits: 128 | 192 | 256): BlockCipher => ({ name: `aes-${bits}-gcm`, keyBytes: bits / 8, cbc: false });
const cbc = (bits: 128 | 192 | 256): BlockCipher => ({ name: `aes-${bits}-cbc`, keyBytes: bits / 8, cbc: true });

/** The accepted content encryption algorithms, by exact identifier. Triple DES is not among them. */
const blockCiphers: ReadonlyMap<string, BlockCipher> = new Map([
  ['http://www.w3.org/2009/xmlenc11#aes128-gcm', gcm(128)],
  ['http://www.w3.org/2009/xmlenc11#aes192-gcm', gcm(192)],
  ['http://www.w3.org/2009/xmlenc11#aes256-gcm', gcm(256)],
  ['http://www.w3.org/2001/04/xmlenc#aes128-cbc', cbc(128)],
  ['http://www.w3.org/2001/04/xmlenc#aes192-cbc', cbc(192)],
  ['http://www.w3.org/2001/04/xmlenc#aes256-cbc', cbc(256)],
]);

const oaepDigests: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2000/09/xmldsig#sha1', 'sha1'],
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);
const maskFunctions: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2009/xmlenc11#mgf1sha1', 'sha1'],
  ['http://www.w3.org/2009/xmlenc11#mgf1sha256', 'sha256'],
  ['http://www.w3.org/2009/xmlenc11#mgf1sha384', 'sha384'],
  ['http://www.w3.org/2009/xmlenc11#mgf1sha512', 'sha512'],
]);
const oaepMgf1p = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p';
const oaep11 = 'http://www.w3.org/2009/xmlenc11#rsa-oaep';
/** Each key costs an RSA operation with each of our keys: more than this would be wasted work. */
const maxEncryptedKeys = 4;

/** Our private keys, and whether a weak cipher is allowed. */
export interface DecryptionPolicy {
  keys: readonly KeyObject[];
  allowCbc: boolean;
}

/** The plaintext of an encryption. */
export interface Decrypted {
  bytes: Uint8Array;
  /** Whether it could be changed in transit by someone who cannot read it (CBC): then its faults must all look the same. */
  malleable: boolean;
}

const refuse = (message: string): never => {
  throw new SamlError('SAML_ENCRYPTION_PROFILE', message);
};
/** The same error for every reason: wrong key, wrong padding, wrong tag, wrong length. */
export const decryptionFailed = (): SamlError =>
  new SamlError('SAML_DECRYPTION_FAILED', 'the message cannot be decrypted with our keys');

function cipherBytes(encrypted: XmlElement): Buffer {
  const value = findChild(getChild(encrypted, ns.xenc, 'CipherData'), ns.xenc, 'CipherValue');
  if (value === undefined) return refuse('the ciphertext must be in the message, not elsewhere');
  const text = textOf(value).replace(/[ \t\r\n]+/g, '');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0
    ? Buffer.from(text, 'base64')
    : refuse('CipherValue is not base64');
}

function requireBlockCipher(encryptedData: XmlElement, policy: DecryptionPolicy): BlockCipher {
  const method = getAttribute(getChild(encryptedData, ns.xenc, 'EncryptionMethod'), 'Algorithm');
  const cipher = blockCiphers.get(method);
  if (cipher === undefined || (cipher.cbc && !policy.allowCbc)) return refuse(`the encryption ${quote(method)} is not accepted`);
  return cipher;
}

/** The digest and mask hash of a key transport. RSA PKCS#1 v1.5 is never accepted. */
function requireKeyTransport(encryptedKey: XmlElement): { hash: string; maskHash: string } {
  const method = getChild(encryptedKey, ns.xenc, 'EncryptionMethod');
  const algorithm = getAttribute(method, 'Algorithm');
  if (algorithm !== oaepMgf1p && algorithm !== oaep11) return refuse(`the key transport ${quote(algorithm)} is not accepted`);
  if (findChild(method, ns.xenc, 'OAEPparams') !== undefined) return refuse('OAEPparams are not accepted');
  const digestMethod = findChild(method, ns.ds, 'DigestMethod');
  const hash = oaepDigests.get(
    digestMethod === undefined ? 'http://www.w3.org/2000/09/xmldsig#sha1' : getAttribute(digestMethod, 'Algorithm'),
  );
  const mgf = algorithm === oaep11 ? findChild(method, ns.xenc11, 'MGF') : undefined;
  const maskHash = maskFunctions.get(
    mgf === undefined ? 'http://www.w3.org/2009/xmlenc11#mgf1sha1' : getAttribute(mgf, 'Algorithm'),
  );
  return hash === undefined || maskHash === undefined ? refuse('the OAEP digest or mask is not accepted') : { hash, maskHash };
}

/**
 * EncryptedKeys are in the KeyInfo of EncryptedData or beside it; a RetrievalMethod may name one beside it (errata E43). No other
 * reference is followed.
 */
function findEncryptedKeys(wrapper: XmlElement, encryptedData: XmlElement): XmlElement[] {
  const keyInfo = findChild(encryptedData, ns.ds, 'KeyInfo');
  for (const child of keyInfo === undefined ? [] : childElements(keyInfo)) {
    const harmless =
      isNamed(child, ns.xenc, 'EncryptedKey') || isNamed(child, ns.ds, 'KeyName') || isNamed(child, ns.ds, 'X509Data');
    if (!harmless && !isNamed(child, ns.ds, 'RetrievalMethod'))
      refuse(`KeyInfo contains ${quote(child.name)}, which is not accepted`);
  }
  const retrieval = keyInfo === undefined ? undefined : findChild(keyInfo, ns.ds, 'RetrievalMethod');
  if (retrieval !== undefined && keyInfo !== undefined) {
    if (childrenNamed(keyInfo, ns.xenc, 'EncryptedKey').length > 0) refuse('there is an EncryptedKey and a RetrievalMethod');
    return [retrieveSibling(retrieval, wrapper)];
  }
  const keys = [
    ...(keyInfo === undefined ? [] : childrenNamed(keyInfo, ns.xenc, 'EncryptedKey')),
    ...childrenNamed(wrapper, ns.xenc, 'EncryptedKey'),
  ];
  if (keys.length === 0 || keys.length > maxEncryptedKeys) refuse(`from 1 to ${maxEncryptedKeys} EncryptedKeys are accepted`);
  for (const key of keys) requireSimpleKeyInfo(key);
  return keys;
}

/** The EncryptedKey beside the EncryptedData that a RetrievalMethod names by its ID: only that one, in this document, as it is. */
function retrieveSibling(retrieval: XmlElement, wrapper: XmlElement): XmlElement {
  const type = findAttribute(retrieval, 'Type');
  if (type !== undefined && type !== `${ns.xenc}EncryptedKey`) refuse('RetrievalMethod is for an EncryptedKey only');
  if (childElements(retrieval).length > 0) refuse('RetrievalMethod has transforms');
  const uri = findAttribute(retrieval, 'URI') ?? '';
  const named = childrenNamed(wrapper, ns.xenc, 'EncryptedKey').filter(one => `#${findAttribute(one, 'Id') ?? ''}` === uri);
  const [key, second] = named;
  if (uri === '#' || key === undefined || second !== undefined)
    return refuse('RetrievalMethod does not name a sibling EncryptedKey');
  requireSimpleKeyInfo(key);
  return key;
}

/** An EncryptedKey encrypted with another EncryptedKey, and so on, would be a bomb. */
function requireSimpleKeyInfo(encryptedKey: XmlElement): void {
  const keyInfo = findChild(encryptedKey, ns.ds, 'KeyInfo');
  for (const child of keyInfo === undefined ? [] : childElements(keyInfo)) {
    if (!isNamed(child, ns.ds, 'KeyName') && !isNamed(child, ns.ds, 'X509Data'))
      refuse(`KeyInfo of EncryptedKey contains ${quote(child.name)}, which is not accepted`);
  }
}

function openGcm(cipher: BlockCipher, key: Uint8Array, data: Buffer): Buffer | undefined {
  if (data.length < 12 + 16 + 1) return undefined;
  const decipher = createDecipheriv(cipher.name as 'aes-256-gcm', key, data.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(data.subarray(data.length - 16));
  return Buffer.concat([decipher.update(data.subarray(12, data.length - 16)), decipher.final()]);
}

/** XML Encryption pads with arbitrary bytes and the count at the end (xmlenc-core 5.2), unlike PKCS#7. */
function openCbc(cipher: BlockCipher, key: Uint8Array, data: Buffer): Buffer | undefined {
  if (data.length < 32 || data.length % 16 !== 0) return undefined;
  const decipher = createDecipheriv(cipher.name, key, data.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(data.subarray(16)), decipher.final()]);
  const padding = plain[plain.length - 1] ?? 0;
  return padding < 1 || padding > 16 ? undefined : plain.subarray(0, plain.length - padding);
}

function open(cipher: BlockCipher, key: Uint8Array, data: Buffer): Buffer | undefined {
  try {
    return cipher.cbc ? openCbc(cipher, key, data) : openGcm(cipher, key, data);
  } catch {
    return undefined;
  }
}

/**
 * Decrypts an `EncryptedAssertion` or `EncryptedID` to its plaintext bytes. They are as untrusted as any others until they have
 * passed every check again: encryption is not authentication.
 * @throws SamlError `SAML_ENCRYPTION_PROFILE` for algorithms and forms that are not accepted, `SAML_DECRYPTION_FAILED` for
 * everything else
 */
export function decryptWrapped(wrapper: XmlElement, policy: DecryptionPolicy): Decrypted {
  const encryptedData = getChild(wrapper, ns.xenc, 'EncryptedData');
  const type = findAttribute(encryptedData, 'Type');
  if (type !== undefined && type !== `${ns.xenc}Element`) refuse('the encrypted content must be one element');
  const cipher = requireBlockCipher(encryptedData, policy);
  const data = cipherBytes(encryptedData);
  const candidates = findEncryptedKeys(wrapper, encryptedData).map(element => ({
    ...requireKeyTransport(element),
    bytes: cipherBytes(element),
  }));
  if (policy.keys.length === 0) throw decryptionFailed();
  for (const { hash, maskHash, bytes } of candidates) {
    for (const privateKey of policy.keys) {
      const key = decryptOaep(privateKey, bytes, hash, maskHash);
      const plain = key?.length === cipher.keyBytes ? open(cipher, key, data) : undefined;
      if (plain !== undefined) return { bytes: plain, malleable: cipher.cbc };
    }
  }
  throw decryptionFailed();
}
