import { constants, createCipheriv, createHash, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto';
import { changed } from './changed.ts';
import { type KeyName, testKey } from './keys.ts';

/** Everything about an encryption that a fault may want to get wrong. */
export interface EncryptOptions {
  key?: KeyName;
  /** Block encryption, by its name in Node. */
  cipher?: 'aes-256-gcm' | 'aes-128-gcm' | 'aes-192-gcm' | 'aes-128-cbc' | 'aes-256-cbc';
  /** Identifier written into EncryptionMethod, when it should lie. */
  algorithm?: string;
  keyTransport?: string;
  digest?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  mgf?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** Changes the ciphertext. */
  ciphertext?: (bytes: Buffer) => Buffer;
  /** Changes the wrapped content key. */
  wrappedKey?: (bytes: Buffer) => Buffer;
  /** Changes the finished EncryptedData text. */
  tamper?: (xml: string) => string;
  /** EncryptedKey beside EncryptedData instead of inside. */
  keyBeside?: boolean;
  /** Further EncryptedKeys before the right one, for other readers. */
  decoys?: number;
}

const xenc = 'http://www.w3.org/2001/04/xmlenc#';
const xenc11 = 'http://www.w3.org/2009/xmlenc11#';
const ds = 'http://www.w3.org/2000/09/xmldsig#';
const digestIds = {
  sha1: `${ds}sha1`,
  sha256: `${xenc}sha256`,
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: `${xenc}sha512`,
};

const identifierOf = (cipher: string): string => {
  const [, bits, mode] = cipher.split('-');
  return mode === 'gcm' ? `${xenc11}aes${bits}-gcm` : `${xenc}aes${bits}-cbc`;
};

function encryptBlock(cipher: NonNullable<EncryptOptions['cipher']>, key: Buffer, plain: Buffer): Buffer {
  if (cipher.endsWith('gcm')) {
    const iv = randomBytes(12);
    const gcm = createCipheriv(cipher as 'aes-256-gcm', key, iv, { authTagLength: 16 });
    return Buffer.concat([iv, gcm.update(plain), gcm.final(), gcm.getAuthTag()]);
  }
  const iv = randomBytes(16);
  const size = 16 - (plain.length % 16);
  const padding = Buffer.concat([randomBytes(size - 1), Buffer.from([size])]);
  const cbc = createCipheriv(cipher, key, iv).setAutoPadding(false);
  return Buffer.concat([iv, cbc.update(plain), cbc.update(padding), cbc.final()]);
}

function mgf1(hash: string, seed: Buffer, length: number): Buffer {
  const blocks = [];
  for (let at = 0; at * 20 < length + 64; at += 1) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(at);
    blocks.push(createHash(hash).update(seed).update(counter).digest());
  }
  return Buffer.concat(blocks).subarray(0, length);
}

const xor = (left: Buffer, right: Buffer): Buffer => Buffer.from(left.map((byte, at) => byte ^ (right[at] ?? 0)));

/** EME-OAEP by hand, so that digest and mask may differ (RFC 8017 7.1.1), and its data block and leading byte may be wrong. */
export function oaepEncrypt(
  name: KeyName,
  message: Buffer,
  hash: string,
  maskHash: string,
  wrong: { block?: (db: Buffer) => void; leading?: number } = {},
): Buffer {
  const { publicKey } = new X509Certificate(testKey(name).certificate);
  const size = (publicKey.asymmetricKeyDetails?.modulusLength ?? 2048) / 8;
  const label = createHash(hash).digest();
  const db = Buffer.concat([label, Buffer.alloc(size - message.length - 2 * label.length - 2), Buffer.from([1]), message]);
  wrong.block?.(db);
  const seed = randomBytes(label.length);
  const maskedDb = xor(db, mgf1(maskHash, seed, db.length));
  const maskedSeed = xor(seed, mgf1(maskHash, maskedDb, seed.length));
  return publicEncrypt(
    { key: publicKey, padding: constants.RSA_NO_PADDING },
    Buffer.concat([Buffer.from([wrong.leading ?? 0]), maskedSeed, maskedDb]),
  );
}

function renderKey(options: EncryptOptions, key: KeyName, contentKey: Buffer): string {
  const hash = options.digest ?? 'sha1';
  const mask = options.mgf ?? 'sha1';
  const transport = options.keyTransport ?? (options.mgf === undefined ? `${xenc}rsa-oaep-mgf1p` : `${xenc11}rsa-oaep`);
  const plainWrapped = transport.includes('rsa-1_5')
    ? publicEncrypt({ key: testKey(key).certificate, padding: constants.RSA_PKCS1_PADDING }, contentKey)
    : oaepEncrypt(key, contentKey, hash, mask);
  const wrapped = options.wrappedKey?.(plainWrapped) ?? plainWrapped;
  const mgf = options.mgf === undefined ? '' : `<xenc11:MGF xmlns:xenc11="${xenc11}" Algorithm="${xenc11}mgf1${mask}"/>`;
  return (
    `<xenc:EncryptedKey xmlns:xenc="${xenc}"><xenc:EncryptionMethod Algorithm="${transport}">` +
    `<ds:DigestMethod xmlns:ds="${ds}" Algorithm="${digestIds[hash]}"/>${mgf}</xenc:EncryptionMethod>` +
    `<xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey>`
  );
}

/** Encrypts an element: EncryptedData with its EncryptedKeys, wrapped as SAML wants it. */
export function encryptElement(xml: string, wrapper: 'EncryptedAssertion' | 'EncryptedID', options: EncryptOptions = {}): string {
  const cipher = options.cipher ?? 'aes-256-gcm';
  const contentKey = randomBytes(Number(cipher.split('-')[1]) / 8);
  const plainCiphertext = encryptBlock(cipher, contentKey, Buffer.from(xml));
  const ciphertext = options.ciphertext?.(plainCiphertext) ?? plainCiphertext;
  const decoys = Array.from({ length: options.decoys ?? 0 }, () => renderKey(options, 'other', contentKey)).join('');
  const keys = decoys + renderKey(options, options.key ?? 'sp', contentKey);
  const keyInfo = options.keyBeside ? '' : `<ds:KeyInfo xmlns:ds="${ds}">${keys}</ds:KeyInfo>`;
  const data =
    `<xenc:EncryptedData xmlns:xenc="${xenc}" Type="${xenc}Element"><xenc:EncryptionMethod Algorithm="${options.algorithm ?? identifierOf(cipher)}"/>` +
    `${keyInfo}<xenc:CipherData><xenc:CipherValue>${ciphertext.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>`;
  const whole = `<saml:${wrapper} xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${data}${options.keyBeside ? keys : ''}</saml:${wrapper}>`;
  return changed(options.tamper, whole);
}
