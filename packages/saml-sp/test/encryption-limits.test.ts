import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { XmlDocument } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { decryptWrapped } from '../src/keys/encryption.ts';
import { decryptOaep } from '../src/keys/oaep.ts';
import { parseInContext } from '../src/xml/decrypted-context.ts';
import { childElements } from '../src/xml/xml.ts';
import { type EncryptOptions, encryptElement, oaepEncrypt } from './support/encryptor.ts';
import { testKey } from './support/keys.ts';
import { refusalIn } from './support/refusal.ts';

// Where a whole Response gives one answer for many faults: what each step says by itself, at its limits.

const keys = [testKey('sp').privateKey];

function decrypted(xml: string, options: EncryptOptions = {}): string {
  using document = XmlDocument.fromString(encryptElement(xml, 'EncryptedAssertion', options));
  return Buffer.from(decryptWrapped(document.root, { keys, allowCbc: true }).bytes).toString();
}

describe('OAEP', () => {
  const open = (wrapped: Buffer, hash = 'sha256', mask = 'sha1') => decryptOaep(testKey('sp').privateKey, wrapped, hash, mask);

  test.each([
    ['sha1', 'sha1', 0],
    ['sha256', 'sha1', 1],
    ['sha256', 'sha256', 32],
    ['sha256', 'sha256', 190],
    ['sha512', 'sha384', 126],
  ])('%s with a mask by %s gives back %i bytes', (hash, mask, size) => {
    const message = Buffer.alloc(size, 1);
    expect(open(oaepEncrypt('sp', message, hash, mask), hash, mask)).toEqual(message);
  });

  const labelBytes = 32;
  test.each([
    ['the first byte of the label differs', { block: (db: Buffer) => db.writeUInt8((db[0] ?? 0) ^ 1, 0) }],
    [
      'the last byte of the label differs',
      { block: (db: Buffer) => db.writeUInt8((db[labelBytes - 1] ?? 0) ^ 0x80, labelBytes - 1) },
    ],
    ['the padding holds a 2', { block: (db: Buffer) => db.writeUInt8(2, labelBytes) }],
    ['the padding holds a 255 right before its end', { block: (db: Buffer) => db.writeUInt8(255, db.length - 5) }],
    ['the padding never ends', { block: (db: Buffer) => db.fill(0, labelBytes) }],
    ['the leading byte is 1', { leading: 1 }],
  ])('%s: nothing', (_name, wrong) => {
    expect(open(oaepEncrypt('sp', Buffer.from('key!'), 'sha256', 'sha1', wrong))).toBeUndefined();
  });

  test('another digest, another mask, another key, another length: nothing', () => {
    const wrapped = oaepEncrypt('sp', Buffer.from('key!'), 'sha256', 'sha1');
    expect(open(wrapped)?.toString()).toBe('key!');
    expect(open(wrapped, 'sha1', 'sha1')).toBeUndefined();
    expect(open(wrapped, 'sha256', 'sha256')).toBeUndefined();
    expect(decryptOaep(testKey('sp-next').privateKey, wrapped, 'sha256', 'sha1')).toBeUndefined();
    expect(open(wrapped.subarray(1))).toBeUndefined();
  });

  test('a leading zero that is missing: nothing', () => {
    let wrapped: Buffer;
    do wrapped = oaepEncrypt('sp', Buffer.from('key!'), 'sha256', 'sha1');
    while (wrapped[0] !== 0);
    expect(open(wrapped)?.toString()).toBe('key!');
    expect(open(wrapped.subarray(1))).toBeUndefined();
    expect(open(Buffer.concat([Buffer.alloc(1), wrapped]))).toBeUndefined();
  });

  test('a key that is too short for the digest: nothing', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey;
    expect(decryptOaep(small, Buffer.alloc(64), 'sha512', 'sha1')).toBeUndefined();
    expect(decryptOaep(small, Buffer.alloc(64), 'sha256', 'sha1')).toBeUndefined();
  });

  test('the fixture wraps what Node unwraps', () => {
    expect(new X509Certificate(testKey('sp').certificate).publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });
});

describe('block encryption', () => {
  const ciphers = ['aes-256-gcm', 'aes-192-gcm', 'aes-128-gcm', 'aes-256-cbc', 'aes-128-cbc'] as const;

  test.each(ciphers)('%s gives back texts of every length modulo a block', cipher => {
    for (const length of [1, 2, 14, 15, 16, 17, 31, 32])
      expect(decrypted('x'.repeat(length), { cipher })).toBe('x'.repeat(length));
  });

  test('what was in CBC says that it can be changed, what was in GCM does not', () => {
    const malleable = (cipher: EncryptOptions['cipher'] & string) => {
      using document = XmlDocument.fromString(encryptElement('x', 'EncryptedAssertion', { cipher }));
      return decryptWrapped(document.root, { keys, allowCbc: true }).malleable;
    };
    expect([malleable('aes-128-cbc'), malleable('aes-128-gcm')]).toEqual([true, false]);
  });

  test.each([
    ['GCM: no text at all', 'aes-256-gcm', (bytes: Buffer) => bytes.subarray(0, 28)],
    ['CBC: a padding of 0', 'aes-256-cbc', (bytes: Buffer) => flipped(bytes, 16 - 4)],
    ['CBC: a padding of 17', 'aes-256-cbc', (bytes: Buffer) => flipped(bytes, (16 - 4) ^ 17)],
    ['CBC: a block and a half', 'aes-256-cbc', (bytes: Buffer) => bytes.subarray(0, 24)],
    ['CBC: one block', 'aes-256-cbc', (bytes: Buffer) => bytes.subarray(0, 16)],
  ] as const)('refuses: %s', (_name, cipher, ciphertext) => {
    expect(() => decrypted('text', { cipher, ciphertext })).toThrow(refusalIn('SAML_DECRYPTION_FAILED', /cannot be decrypted/));
  });

  /** Changes the last octet of the block before the last, and so the count of the padding. */
  function flipped(bytes: Buffer, by: number): Buffer {
    bytes[bytes.length - 17] = (bytes[bytes.length - 17] ?? 0) ^ by;
    return bytes;
  }

  test('decrypts nothing without keys', () => {
    using document = XmlDocument.fromString(encryptElement('x', 'EncryptedAssertion'));
    expect(() => decryptWrapped(document.root, { keys: [], allowCbc: false })).toThrow(
      refusalIn('SAML_DECRYPTION_FAILED', /our keys/),
    );
  });
});

describe('what stands around a ciphertext', () => {
  const keyInfo = (inside: string) => ({ tamper: (xml: string) => xml.replace(/(<ds:KeyInfo [^>]*>)/, `$1${inside}`) });
  const inKey = (inside: string) => ({
    tamper: (xml: string) =>
      xml.replace(
        '</xenc:EncryptionMethod><xenc:CipherData>',
        `</xenc:EncryptionMethod><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${inside}</ds:KeyInfo><xenc:CipherData>`,
      ),
  });
  const value = (change: (base64: string) => string) => ({
    tamper: (xml: string) =>
      xml.replace(/(?<=<xenc:CipherValue>)[^<]*(?=<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/, change),
  });
  const retrieval = '<ds:RetrievalMethod URI="#_key"/>';
  const beside = (...ids: string[]): EncryptOptions => ({
    keyBeside: true,
    tamper: xml => {
      const [before, key] = [
        xml.slice(0, xml.indexOf('<xenc:EncryptedKey')),
        /<xenc:EncryptedKey .*<\/xenc:EncryptedKey>/s.exec(xml)?.[0] ?? '',
      ];
      const info = `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${retrieval}</ds:KeyInfo><xenc:CipherData>`;
      const named = ids.map(id => key.replace('<xenc:EncryptedKey', `<xenc:EncryptedKey Id="${id}"`)).join('');
      return `${before.replace('<xenc:CipherData>', info)}${named}</saml:EncryptedAssertion>`;
    },
  });

  test.each<[string, EncryptOptions]>([
    ['a KeyName and a certificate in KeyInfo', keyInfo('<ds:KeyName>k</ds:KeyName><ds:X509Data/>')],
    ['a KeyName and a certificate in the KeyInfo of the key', inKey('<ds:KeyName>k</ds:KeyName><ds:X509Data/>')],
    ['base64 in lines', value(base64 => `\r\n${base64.slice(0, 4)}\n\t ${base64.slice(4)} `)],
    ['a RetrievalMethod without a Type', beside('_key')],
    ['no Type', { tamper: xml => xml.replace(/ Type="[^"]*"/, '') }],
    ['no digest, which means SHA-1', { tamper: xml => xml.replace(/<ds:DigestMethod[^>]*\/>/, '') }],
    [
      'a mask that the older key transport does not know',
      {
        tamper: xml =>
          xml.replace(
            /(<ds:DigestMethod[^>]*\/>)/,
            '$1<x:MGF xmlns:x="http://www.w3.org/2009/xmlenc11#" Algorithm="http://www.w3.org/2009/xmlenc11#mgf1sha512"/>',
          ),
      },
    ],
  ])('%s: read', (_name, options) => {
    expect(decrypted('text', options)).toBe('text');
  });

  test.each<[string, EncryptOptions, RegExp]>([
    ['a KeyValue in KeyInfo', keyInfo('<ds:KeyValue/>'), /^KeyInfo contains "KeyValue"/],
    ['a KeyValue in the KeyInfo of the key', inKey('<ds:KeyValue/>'), /KeyInfo of EncryptedKey contains "KeyValue"/],
    ['an EncryptedKey in KeyInfo and a RetrievalMethod', keyInfo(retrieval), /an EncryptedKey and a RetrievalMethod/],
    ['two EncryptedKeys of the ID that is named', beside('_key', '_key'), /does not name a sibling EncryptedKey/],
    [
      'a URI that is empty',
      { ...beside('_key'), tamper: xml => beside('').tamper?.(xml).replace('#_key', '') ?? '' },
      /does not name/,
    ],
    ['no URI', { ...beside('_key'), tamper: xml => beside('').tamper?.(xml).replace(' URI="#_key"', '') ?? '' }, /does not name/],
    ['a letter before base64', value(base64 => `!${base64.slice(1)}`), /CipherValue is not base64/],
    ['a letter behind base64', value(base64 => `${base64.slice(0, -1)}!`), /CipherValue is not base64/],
    ['base64 that is cut', value(base64 => base64.slice(0, 21)), /CipherValue is not base64/],
    ['nothing', value(() => ''), /CipherValue is not base64/],
    [
      'a Type that is not an element',
      { tamper: xml => xml.replace('xmlenc#Element"', 'xmlenc#Content"') },
      /must be one element/,
    ],
  ])('refuses: %s', (_name, options, words) => {
    expect(() => decrypted('text', options)).toThrow(refusalIn('SAML_ENCRYPTION_PROFILE', words));
  });
});

describe('what was decrypted is read with the namespaces around it', () => {
  const outside = '<r xmlns="urn:r" xmlns:p="urn:old" xmlns:q="urn:q"><s xmlns:p="urn:p"/></r>';
  function read(text: string, around = outside): string {
    using document = XmlDocument.fromString(around);
    const [inner = document.root] = childElements(document.root);
    const found = parseInContext(Buffer.from(text), inner);
    using _read = found.document;
    return Buffer.from(found.text).toString();
  }

  test.each([
    ['no prefix, no declaration', '<a/>', '<a xmlns:p="urn:p" xmlns="urn:r" xmlns:q="urn:q"/>'],
    ['a prefix from outside, the innermost of its name', '<p:a/>', '<p:a xmlns:p="urn:p" xmlns="urn:r" xmlns:q="urn:q"/>'],
    [
      'one prefix of its own and one from outside',
      '<p:a xmlns:p="urn:own"><q:b/></p:a>',
      '<p:a xmlns="urn:r" xmlns:q="urn:q" xmlns:p="urn:own"><q:b/></p:a>',
    ],
    [
      'its own default, one prefix from outside',
      '<a xmlns = "urn:own"><q:b/></a>',
      '<a xmlns:p="urn:p" xmlns:q="urn:q" xmlns = "urn:own"><q:b/></a>',
    ],
    [
      'a declaration in a child is not its own',
      '<q:a><b xmlns="urn:b"/></q:a>',
      '<q:a xmlns:p="urn:p" xmlns="urn:r" xmlns:q="urn:q"><b xmlns="urn:b"/></q:a>',
    ],
    [
      'white space before it',
      '\n <a><b xmlns="urn:b"/></a>',
      '\n <a xmlns:p="urn:p" xmlns="urn:r" xmlns:q="urn:q"><b xmlns="urn:b"/></a>',
    ],
    [
      'an attribute that only looks like one',
      '<a notxmlns="1"/>',
      '<a xmlns:p="urn:p" xmlns="urn:r" xmlns:q="urn:q" notxmlns="1"/>',
    ],
  ])('%s', (_name, text, whole) => {
    expect(read(text)).toBe(whole);
  });

  test.each([
    ['a prefix of its own', '<p:a xmlns:p="urn:own"/>'],
    ['a default namespace of its own', '<a xmlns="urn:own"/>'],
    ['the same after other attributes, with white space', ' <a x="1"\n xmlns = "urn:own"/>'],
  ])('%s: read as it stands', (_name, text) => {
    expect(read(text)).toBe(text);
  });

  test('what was taken back outside is not declared, nor is xml', () => {
    expect(read('<a/>', '<r xmlns="urn:r"><s xmlns="" xmlns:xml="http://www.w3.org/XML/1998/namespace"/></r>')).toBe('<a/>');
  });

  test.each([
    ['text', 'text', 'SAML_XML_MALFORMED'],
    ['a DOCTYPE', '<!DOCTYPE p:a><p:a/>', 'SAML_XML_DOCTYPE'],
    ['a comment', '<p:a xmlns:p="urn:p"><!--c--></p:a>', 'SAML_XML_DOCTYPE'],
    ['a prefix that nobody declared', '<z:a/>', 'SAML_XML_MALFORMED'],
  ])('refuses: %s', (_name, text, code) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code }));
  });
});
