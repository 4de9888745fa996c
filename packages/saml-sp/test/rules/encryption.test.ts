import { expect } from 'vitest';
import type { EncryptOptions } from '../support/encryptor.ts';
import { type Fault, rule } from '../support/rule.ts';

const profile = 'SAML_ENCRYPTION_PROFILE' as const;
const failed = 'SAML_DECRYPTION_FAILED' as const;
const isAlice: Fault['expect'] = identity => expect(identity.nameId?.value).toBe('alice');
const encrypted = (name: string, code: Fault['code'], encrypt: EncryptOptions, more: Partial<Fault> = {}): Fault => ({
  name,
  code,
  encrypt,
  modes: ['encrypted'],
  ...(code === 'accepted' ? { expect: isAlice } : {}),
  ...more,
});
const cbc = { dangerouslyAllowCbc: true };
const truncate = (length: number) => ({ ciphertext: (bytes: Buffer) => bytes.subarray(0, length) });
const lastByte = (change: (byte: number) => number) => ({
  ciphertext: (bytes: Buffer) => {
    // Flipping the last byte of the block before flips the padding count after decryption.
    const at = bytes.length - 17;
    bytes[at] = change(bytes[at] ?? 0);
    return bytes;
  },
});
const rename = (from: string, to: string) => ({ tamper: (xml: string) => xml.replace(from, to) });
const xenc = 'http://www.w3.org/2001/04/xmlenc#';
/** KeyInfo points at the last EncryptedKey beside it, which has that ID. */
const local = (uri: string, id: string, dataId = '') => ({
  tamper: (xml: string): string => {
    const keyInfo = `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:RetrievalMethod URI="${uri}" Type="${xenc}EncryptedKey"/></ds:KeyInfo>`;
    const at = xml.lastIndexOf('<xenc:EncryptedKey ');
    const named = id === '' ? xml : `${xml.slice(0, at)}<xenc:EncryptedKey Id="${id}" ${xml.slice(at + 19)}`;
    return named
      .replace('<xenc:CipherData>', `${keyInfo}<xenc:CipherData>`)
      .replace('<xenc:EncryptedData ', `<xenc:EncryptedData${dataId} `);
  },
});

rule(
  'decrypts GCM and OAEP, refuses everything else alike, and fetches nothing (ALG04, 05; SP08; encryption taken for authentication, encrypted path unchecked, unchecked tags and padding, key bombs and transforms)',
  [
    encrypted('AES-256-GCM', 'accepted', { cipher: 'aes-256-gcm' }),
    encrypted('AES-192-GCM', 'accepted', { cipher: 'aes-192-gcm' }),
    encrypted('AES-128-GCM', 'accepted', { cipher: 'aes-128-gcm' }),
    encrypted('rsa-oaep-mgf1p with SHA-256 and MGF1-SHA1', 'accepted', { digest: 'sha256' }),
    encrypted('rsa-oaep 1.1 with SHA-256 and MGF1-SHA256', 'accepted', { digest: 'sha256', mgf: 'sha256' }),
    encrypted('rsa-oaep 1.1 with SHA-256 and MGF1-SHA1', 'accepted', { digest: 'sha256', mgf: 'sha1' }),
    encrypted('rsa-oaep 1.1 with SHA-1 and MGF1-SHA256', 'accepted', { digest: 'sha1', mgf: 'sha256' }),
    encrypted('rsa-oaep 1.1 with SHA-512 and MGF1-SHA512', 'accepted', { digest: 'sha512', mgf: 'sha512' }),
    encrypted('rsa-oaep 1.1 with SHA-384 and MGF1-SHA384', 'accepted', { digest: 'sha384', mgf: 'sha384' }),
    encrypted('to the other of our two keys', 'accepted', { key: 'sp-next' }),
    encrypted('EncryptedKey beside EncryptedData', 'accepted', { keyBeside: true }),
    encrypted('three EncryptedKeys for others before ours', 'accepted', { decoys: 3 }),
    encrypted('AES-128-CBC', profile, { cipher: 'aes-128-cbc' }),
    encrypted('AES-256-CBC', profile, { cipher: 'aes-256-cbc' }),
    encrypted('AES-256-CBC, for a provider that cannot do better', 'accepted', { cipher: 'aes-256-cbc' }, { policy: cbc }),
    encrypted('AES-128-CBC, for a provider that cannot do better', 'accepted', { cipher: 'aes-128-cbc' }, { policy: cbc }),
    encrypted('Triple DES', profile, { algorithm: `${xenc}tripledes-cbc` }, { policy: cbc }),
    encrypted('an unknown cipher', profile, { algorithm: 'urn:rot13' }),
    encrypted('a cipher named like a property of every object', profile, { algorithm: 'constructor' }),
    encrypted('RSA PKCS#1 v1.5', profile, { keyTransport: `${xenc}rsa-1_5` }),
    encrypted('an unknown digest', profile, rename('xmldsig#sha1', 'xmldsig#md5')),
    encrypted('an unknown mask', profile, { mgf: 'sha1', ...rename('mgf1sha1', 'mgf1md5') }),
    encrypted('OAEPparams', profile, rename('<ds:DigestMethod', '<xenc:OAEPparams>AAAA</xenc:OAEPparams><ds:DigestMethod')),
    encrypted('five EncryptedKeys', profile, { decoys: 4 }),
    encrypted('no EncryptedKey', profile, { tamper: xml => xml.replace(/<ds:KeyInfo.*<\/ds:KeyInfo>/s, '') }),
    encrypted('RetrievalMethod to an address beside an EncryptedKey', profile, {
      tamper: xml => xml.replace(/(<ds:KeyInfo [^>]*>)/, '$1<ds:RetrievalMethod URI="http://127.0.0.1:9/"/>'),
    }),
    encrypted('RetrievalMethod to the EncryptedKey beside it (errata E43)', 'accepted', {
      keyBeside: true,
      ...local('#_key', '_key'),
    }),
    encrypted('the same among EncryptedKeys for others', 'accepted', { keyBeside: true, decoys: 6, ...local('#_key', '_key') }),
    encrypted('RetrievalMethod to another ID', profile, { keyBeside: true, ...local('#_other', '_key') }),
    encrypted('RetrievalMethod to a key without ID', profile, { keyBeside: true, ...local('#', '') }),
    encrypted('RetrievalMethod to the EncryptedData', profile, { keyBeside: true, ...local('#_data', '_key', ' Id="_data"') }),
    encrypted('RetrievalMethod to the Response', profile, { keyBeside: true, ...local('#_response1', '_key') }),
    encrypted('RetrievalMethod to an address', profile, { keyBeside: true, ...local('http://127.0.0.1:9/#_key', '_key') }),
    encrypted('RetrievalMethod by XPointer', profile, { keyBeside: true, ...local("#xpointer(id('_key'))", '_key') }),
    encrypted('RetrievalMethod for a certificate', profile, {
      keyBeside: true,
      tamper: xml => local('#_key', '_key').tamper(xml).replace('xmlenc#EncryptedKey"', 'xmldsig#X509Data"'),
    }),
    encrypted('RetrievalMethod with transforms', profile, {
      keyBeside: true,
      tamper: xml =>
        local('#_key', '_key')
          .tamper(xml)
          .replace(
            /(<ds:RetrievalMethod[^>]*)\/>/,
            '$1><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/></ds:Transforms></ds:RetrievalMethod>',
          ),
    }),
    encrypted('RetrievalMethod beside an EncryptedKey in KeyInfo', profile, {
      keyBeside: true,
      tamper: xml => {
        const named = local('#_key', '_key').tamper(xml);
        const key = /<xenc:EncryptedKey Id="_key".*?<\/xenc:EncryptedKey>/s.exec(named)?.[0].replace(' Id="_key"', '') ?? '';
        return named.replace('<ds:RetrievalMethod', `${key}<ds:RetrievalMethod`);
      },
    }),
    encrypted('RetrievalMethod to a key that points on', profile, {
      keyBeside: true,
      tamper: xml =>
        local('#_key', '_key')
          .tamper(xml)
          .replace(
            '</xenc:EncryptionMethod><xenc:CipherData><xenc:CipherValue>',
            '</xenc:EncryptionMethod><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:RetrievalMethod URI="#_key"/></ds:KeyInfo><xenc:CipherData><xenc:CipherValue>',
          ),
    }),
    encrypted('an EncryptedKey within an EncryptedKey', profile, {
      tamper: xml =>
        xml.replace(
          '</xenc:EncryptionMethod><xenc:CipherData>',
          '</xenc:EncryptionMethod><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey><xenc:CipherData><xenc:CipherValue>AAAA</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo><xenc:CipherData>',
        ),
    }),
    encrypted('CipherReference', profile, {
      tamper: xml =>
        xml.replace(
          /<xenc:CipherValue>[^<]*<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>/,
          '<xenc:CipherReference URI="http://127.0.0.1:9/"/></xenc:CipherData></xenc:EncryptedData>',
        ),
    }),
    encrypted('content instead of an element', profile, rename('xmlenc#Element', 'xmlenc#Content')),
    encrypted('to another party', failed, { key: 'other' }),
    encrypted('we have no decryption key', failed, {}, { options: { decryptionKeys: [] } }),
    encrypted('GCM: a changed byte', failed, {
      ciphertext: bytes => {
        bytes[40] = (bytes[40] ?? 0) ^ 1;
        return bytes;
      },
    }),
    encrypted('GCM: a changed tag', failed, {
      ciphertext: bytes => {
        bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
        return bytes;
      },
    }),
    encrypted('GCM: a tag of 4 bytes', failed, { ciphertext: bytes => bytes.subarray(0, bytes.length - 12) }),
    encrypted('GCM: 28 bytes, nothing inside', failed, truncate(28)),
    encrypted('GCM: 12 bytes', failed, truncate(12)),
    encrypted('GCM: 3 bytes', failed, truncate(3)),
    encrypted('GCM: empty', profile, truncate(0)),
    encrypted('CBC: padding count 0', failed, { cipher: 'aes-256-cbc', ...lastByte(byte => byte ^ 0xff) }, { policy: cbc }),
    encrypted('CBC: padding count 255', failed, { cipher: 'aes-128-cbc', ...lastByte(byte => byte ^ 0xf0) }, { policy: cbc }),
    encrypted('CBC: 16 bytes', failed, { cipher: 'aes-256-cbc', ...truncate(16) }, { policy: cbc }),
    encrypted('CBC: 33 bytes', failed, { cipher: 'aes-256-cbc', ...truncate(33) }, { policy: cbc }),
    encrypted('a wrapped key of 255 bytes', failed, { wrappedKey: bytes => bytes.subarray(1) }),
    encrypted('a wrapped key of zeros', failed, { wrappedKey: () => Buffer.alloc(256) }),
    encrypted('a wrapped key of ones', failed, { wrappedKey: () => Buffer.alloc(256, 0xff) }),
    encrypted('a content key of another length', failed, { cipher: 'aes-128-gcm', ...rename('aes128-gcm', 'aes256-gcm') }),
    encrypted(
      'GCM read as CBC',
      failed,
      { ...rename('http://www.w3.org/2009/xmlenc11#aes256-gcm', `${xenc}aes256-cbc`) },
      { policy: cbc },
    ),
    encrypted('what is inside is not XML', 'SAML_XML_MALFORMED', {}, { sign: 'response', assertion: () => 'alice ID="_x"' }),
    encrypted(
      'what is inside is an Issuer',
      'SAML_STRUCTURE',
      {},
      { sign: 'response', assertion: () => '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">a</saml:Issuer>' },
    ),
    encrypted(
      'what is inside has a DOCTYPE',
      'SAML_XML_DOCTYPE',
      {},
      { sign: 'response', assertion: xml => `<!DOCTYPE a>${xml}` },
    ),
    encrypted(
      'what is inside borrows a prefix from outside',
      'accepted',
      {},
      { sign: 'response', assertion: xml => xml.replace(/ xmlns:saml="[^"]*"/, '') },
    ),
    encrypted(
      'what is inside is signed and borrows a prefix from outside',
      'accepted',
      {},
      { sign: 'assertion', signedAssertion: xml => xml.replace(/ xmlns:saml="[^"]*"/, '') },
    ),
    encrypted(
      'what is inside borrows the default namespace from outside',
      'accepted',
      {},
      {
        sign: 'assertion',
        assertion: xml => xml.replace('xmlns:saml=', 'xmlns=').replaceAll('saml:', ''),
        signedAssertion: xml => xml.replace(' xmlns="urn:oasis:names:tc:SAML:2.0:assertion"', ''),
        response: xml =>
          xml.replace('<saml:EncryptedAssertion ', '<saml:EncryptedAssertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" '),
      },
    ),
    encrypted(
      'what is inside borrows a prefix that an attacker bound to something else outside',
      'SAML_SCHEMA_INVALID',
      {},
      {
        sign: 'assertion',
        signedAssertion: xml => xml.replace(/ xmlns:saml="[^"]*"/, '').replaceAll('saml:', 'x:'),
        response: xml => xml.replace('<saml:EncryptedAssertion ', '<saml:EncryptedAssertion xmlns:x="urn:evil" '),
      },
    ),
    encrypted(
      'what is inside borrows a prefix that nobody declared',
      'SAML_XML_MALFORMED',
      {},
      { sign: 'response', assertion: xml => xml.replace(/ xmlns:saml="[^"]*"/, '').replaceAll('saml:', 'nobody:') },
    ),
    ...[
      'what is inside is not XML',
      'what is inside is an Issuer',
      'what is inside has a DOCTYPE',
      'signed by an attacker',
      'unsigned',
    ].map((what, at) => {
      const inside = [
        { assertion: () => 'alice ID="_x"' },
        { assertion: () => '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">a</saml:Issuer>' },
        { assertion: (xml: string) => `<!DOCTYPE a>${xml}` },
        { sign: 'assertion' as const, signAssertion: { key: 'attacker' as const } },
        {},
      ][at];
      // Nothing vouches for this ciphertext, and CBC can be changed unseen: every fault must be one answer.
      return encrypted(`CBC: ${what}`, failed, { cipher: 'aes-256-cbc' }, { policy: cbc, sign: 'none', ...inside });
    }),
    encrypted(
      'the Response changed after encryption',
      'SAML_SIGNATURE_INVALID',
      {},
      { wire: xml => xml.replace(/(<\/ds:KeyInfo><xenc:CipherData><xenc:CipherValue>)..../, '$1AAAA') },
    ),
  ],
);
