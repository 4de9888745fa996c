import { constants, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { type C14NOptions, XmlDocument, type XmlOutputBufferHandler } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { SignedXml } from 'xml-crypto';
import type { SamlErrorCode } from '../src/errors.ts';
import { requireDigestAlgorithm, requireSignatureAlgorithm, verifyRaw } from '../src/keys/algorithms.ts';
import { publicKeyOfCertificate } from '../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../src/keys/signature.ts';
import { readSignature, requireUniqueIds } from '../src/keys/signature-profile.ts';
import { exclusiveC14n } from '../src/xml/library-canonicalization.ts';
import { testKey } from './support/keys.ts';
import { refusalIn } from './support/refusal.ts';
import { makeSignature, rsaSha256, type SignOptions, signElement } from './support/signer.ts';
import { countDisposed, replaced } from './support/stand-in.ts';

// What the rules cannot tell: one check that hides behind another, and the second verifier, which no message reaches that the
// first refuses. Elements of no schema, so that the signature profile answers alone.

const policy = { keys: [publicKeyOfCertificate(testKey('idp').certificate)], allowSha1: false };
const plain = '<a ID="_a"><b>text</b></a>';

function verdictOf(xml: string): string {
  using document = XmlDocument.fromString(xml);
  using verified = verifyEnvelopedSignature(document.root, policy);
  return verified?.document.toString({ noDeclaration: true, format: false }).trim() ?? 'not signed';
}

describe('the second verifier must agree', () => {
  const signed = signElement(plain, '_a');

  test('with what the first one saw', () => {
    expect(verdictOf(signed)).toBe(plain);
  });

  test.each([
    ['it says no', 'checkSignature', (): boolean => false, 'SAML_SIGNATURE_INVALID', /does not verify/],
    [
      'it throws',
      'checkSignature',
      (): boolean => {
        throw new Error('invalid');
      },
      'SAML_SIGNATURE_INVALID',
      /does not verify/,
    ],
    ['it names nothing that was signed', 'getSignedReferences', () => [], 'SAML_SIGNATURE_INVALID', /exactly one/],
    ['it names two', 'getSignedReferences', () => [plain, plain], 'SAML_SIGNATURE_INVALID', /exactly one/],
    [
      'it signed other bytes',
      'getSignedReferences',
      () => [plain.replace('text', 'other')],
      'SAML_CANONICAL_MISMATCH',
      /disagree about the signed bytes/,
    ],
  ] as const)('refuses: %s', (_name, method, by, code, words) => {
    replaced(SignedXml.prototype, method, by, () => expect(() => verdictOf(signed)).toThrow(refusalIn(code, words)));
  });

  test('keeps what the library said as the cause', () => {
    replaced(
      SignedXml.prototype,
      'checkSignature',
      () => false,
      () => {
        expect(() => verdictOf(signed)).toThrow(
          expect.objectContaining({ cause: expect.objectContaining({ message: 'digest mismatch' }) }),
        );
      },
    );
  });

  test('must write what was signed as it was read, or the document is disposed of', () => {
    const { canonicalize } = XmlDocument.prototype;
    let written = 0;
    function unstable(this: XmlDocument, handler: XmlOutputBufferHandler, options?: C14NOptions) {
      written += 1;
      if (written === 2) return handler.write(Buffer.from('<other></other>'));
      return canonicalize.call(this, handler, options);
    }
    using document = XmlDocument.fromString(signed);
    const disposed = countDisposed(() =>
      replaced(XmlDocument.prototype, 'canonicalize', unstable, () => {
        expect(() => verifyEnvelopedSignature(document.root, policy)).toThrow(
          refusalIn('SAML_CANONICAL_MISMATCH', /gives another document/),
        );
      }),
    );
    expect(disposed).toBe(1);
  });

  test('disposes of the document with the verified element', () => {
    using document = XmlDocument.fromString(signed);
    const verified = verifyEnvelopedSignature(document.root, policy);
    expect(countDisposed(() => verified?.[Symbol.dispose]())).toBe(1);
  });

  // `requireUniqueIds` refuses it before. Here the library searches by itself.
  test('refuses an ID that a second element has', () => {
    const twice = signElement(plain.replace('<b>', '<b ID="_a">'), '_a');
    expect(() => verdictOf(twice)).toThrow(refusalIn('SAML_SIGNATURE_INVALID', /does not verify/));
  });

  test.each([
    ['without a matching key', signElement(plain, '_a', { key: 'other' }), /no key of the metadata/],
    ['content that was changed', signed.replace('text', 'other'), /its digest differs/],
  ])('refuses %s before asking the library', (_what, xml, words) => {
    const asked = (): never => {
      throw new Error('asked');
    };
    replaced(SignedXml.prototype, 'checkSignature', asked, () => {
      expect(() => verdictOf(xml)).toThrow(refusalIn('SAML_SIGNATURE_INVALID', words));
    });
  });
});

describe('the signature profile alone', () => {
  const transforms = (inside: string) =>
    `<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></ds:Transform><ds:Transform Algorithm="${exclusiveC14n}">${inside}</ds:Transform>`;
  const inclusive = (list: string) =>
    `<ec:InclusiveNamespaces xmlns:ec="${exclusiveC14n}" PrefixList="${list}"></ec:InclusiveNamespaces>`;
  const method = (inside: string, name = rsaSha256): SignOptions => ({
    signedInfo: xml => xml.replace(`"${rsaSha256}"></ds:SignatureMethod>`, `"${name}">${inside}</ds:SignatureMethod>`),
  });
  const rsaPss = 'http://www.w3.org/2007/05/xmldsig-more#rsa-pss';
  const pss = (inside: string) =>
    method(`<p:RSAPSSParams xmlns:p="http://www.w3.org/2007/05/xmldsig-more#">${inside}</p:RSAPSSParams>`, rsaPss);
  const profile = 'SAML_SIGNATURE_PROFILE';
  const refused: [string, SignOptions, SamlErrorCode, RegExp][] = [
    [
      'a child of a transform that is not InclusiveNamespaces',
      { transforms: transforms('<x/>') },
      profile,
      /transform contains an unknown element/,
    ],
    [
      'InclusiveNamespaces of another namespace',
      { transforms: transforms('<InclusiveNamespaces xmlns="urn:x" PrefixList="a"/>') },
      profile,
      /transform contains an unknown element/,
    ],
    [
      'InclusiveNamespaces twice',
      { transforms: transforms(inclusive('a').repeat(2)) },
      profile,
      /transform contains an unknown element/,
    ],
    [
      '17 prefixes',
      { transforms: transforms(inclusive(Array.from({ length: 17 }, (_, at) => `p${at}`).join(' '))) },
      profile,
      /16/,
    ],
    [
      'parameters of PSS under the name of RSA',
      method('<p:RSAPSSParams xmlns:p="http://www.w3.org/2007/05/xmldsig-more#"/>'),
      profile,
      /nothing/,
    ],
    [
      'two parameters of PSS',
      method('<p:RSAPSSParams xmlns:p="http://www.w3.org/2007/05/xmldsig-more#"/>'.repeat(2), rsaPss),
      profile,
      /SignatureMethod contains an unknown element/,
    ],
    [
      'an unknown parameter of PSS',
      pss('<p:TrailerField>1</p:TrailerField>'),
      profile,
      /RSAPSSParams contains an unknown element/,
    ],
    [
      'a known parameter of PSS beside an unknown one',
      pss('<p:SaltLength>32</p:SaltLength><p:TrailerField>1</p:TrailerField>'),
      profile,
      /RSAPSSParams contains an unknown element/,
    ],
    [
      'SHA-1 for the mask',
      pss(
        '<p:MaskGenerationFunction><ds:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"/></p:MaskGenerationFunction>',
      ),
      'SAML_SIGNATURE_ALGORITHM',
      /digest algorithm/,
    ],
    [
      'a digest with something in it',
      { signedInfo: xml => xml.replace('></ds:DigestMethod>', '><x/></ds:DigestMethod>') },
      profile,
      /DigestMethod must contain exactly nothing/,
    ],
    [
      'SignedInfo without a Reference',
      { signedInfo: xml => xml.replace(/<ds:Reference .*<\/ds:Reference>/s, '') },
      profile,
      /exactly CanonicalizationMethod, SignatureMethod, Reference/,
    ],
    [
      'an Object behind KeyInfo',
      { tamper: xml => xml.replace('</ds:Signature>', '<ds:Object/></ds:Signature>') },
      profile,
      /exactly SignedInfo, SignatureValue/,
    ],
  ];

  test.each(refused)('refuses: %s', (_name, options, code, words) => {
    expect(() => verdictOf(signElement(plain, '_a', options))).toThrow(refusalIn(code, words));
  });

  test('refuses two signatures in one element', () => {
    const twice = plain.replace('<b>', `${makeSignature(plain, '_a').repeat(2)}<b>`);
    expect(() => verdictOf(twice)).toThrow(refusalIn(profile, /a contains two signatures/));
  });

  test.each([
    [
      'all parameters of PSS',
      pss(
        '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><p:MaskGenerationFunction/><p:SaltLength> 32 </p:SaltLength>',
      ),
    ],
    [
      'a mask over the same digest',
      pss(
        '<p:MaskGenerationFunction><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/></p:MaskGenerationFunction>',
      ),
    ],
    [
      '16 prefixes with white space between them',
      { transforms: transforms(inclusive(` ${Array.from({ length: 16 }, (_, at) => `p${at}`).join(' \t\n ')} `)) },
    ],
    ['a prefix that ends in xml', { transforms: transforms(inclusive('myxml')) }],
  ] as [string, SignOptions][])('accepts: %s', (_name, options) => {
    using document = XmlDocument.fromString(signElement(plain, '_a', options));
    expect(readSignature(document.root, false)).toMatchObject({ algorithm: { hash: 'sha256' } });
  });

  test('reads the PrefixList, or none', () => {
    const prefixesOf = (inside: string) => {
      using document = XmlDocument.fromString(signElement(plain, '_a', { transforms: transforms(inside) }));
      return readSignature(document.root, false)?.prefixes;
    };
    expect(prefixesOf(inclusive(' a  b\tc '))).toEqual(['a', 'b', 'c']);
    expect(prefixesOf('')).toEqual([]);
  });

  test('keeps IDs apart that differ in inner white space, but not in line breaks around', () => {
    const check = (xml: string) => {
      using document = XmlDocument.fromString(xml);
      requireUniqueIds(document.root);
    };
    expect(() => check('<a ID="x y"><b id="xy"/></a>')).not.toThrow();
    expect(() => check('<a ID="x y"><b id="x  y"/></a>')).toThrow(refusalIn('SAML_DUPLICATE_ID', /^duplicate ID /));
    expect(() => check('<a ID="x"><b Id="y"/></a>')).not.toThrow();
  });
});

describe('a signature by itself', () => {
  const pssAlgorithm = requireSignatureAlgorithm('http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', false);
  const rsa = requireSignatureAlgorithm(rsaSha256, false);
  const data = Buffer.from('data');

  test('verifies only PSS with a key for PSS', () => {
    const pair = generateKeyPairSync('rsa-pss', {
      modulusLength: 1024,
      hashAlgorithm: 'sha256',
      mgf1HashAlgorithm: 'sha256',
    });
    const value = sign('sha256', data, { key: pair.privateKey, saltLength: 32 });
    expect(verifyRaw(pssAlgorithm, pair.publicKey, data, value)).toBe(true);
    expect(verifyRaw(rsa, pair.publicKey, data, value)).toBe(false);
  });

  test('verifies nothing with a key of another kind or if OpenSSL throws', () => {
    const value = sign('sha256', data, testKey('idp').privateKey);
    const key = policy.keys[0] as KeyObject;
    expect(verifyRaw(rsa, key, data, value)).toBe(true);
    const ec = testKey('idp-ec');
    expect(verifyRaw(rsa, publicKeyOfCertificate(ec.certificate), data, value)).toBe(false);
    // What an EC key signs is no signature by PSS, though OpenSSL would verify it and pass over the padding.
    const byEc = sign('sha256', data, ec.privateKey);
    expect(verifyRaw(pssAlgorithm, publicKeyOfCertificate(ec.certificate), data, byEc)).toBe(false);
    const narrow = generateKeyPairSync('rsa-pss', {
      modulusLength: 1024,
      hashAlgorithm: 'sha384',
      mgf1HashAlgorithm: 'sha384',
    });
    expect(verifyRaw(pssAlgorithm, narrow.publicKey, data, value.subarray(0, 128))).toBe(false);
  });

  test('refuses an RSA signature with a leading zero more or less (RFC 8017 8.1.2)', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    // The salt differs each time: one signature of 256 begins with a zero.
    let value = sign('sha256', data, { key: privateKey, ...padding });
    while (value[0] !== 0) value = sign('sha256', data, { key: privateKey, ...padding });
    expect(verify('sha256', data, { key: publicKey, ...padding }, value.subarray(1)), 'OpenSSL takes it').toBe(true);
    expect(verifyRaw(pssAlgorithm, publicKey, data, value)).toBe(true);
    expect(verifyRaw(pssAlgorithm, publicKey, data, value.subarray(1))).toBe(false);
    expect(verifyRaw(pssAlgorithm, publicKey, data, Buffer.concat([Buffer.alloc(1), value]))).toBe(false);
  });

  test('refuses SHA-1 and unknown names, and shortens a long name', () => {
    const sha1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
    expect(() => requireSignatureAlgorithm(sha1, false)).toThrow(
      refusalIn('SAML_SIGNATURE_ALGORITHM', /rsa-sha1" is not accepted/),
    );
    expect(requireSignatureAlgorithm(sha1, true)).toMatchObject({ hash: 'sha1' });
    const long = 'x'.repeat(101);
    for (const require of [requireSignatureAlgorithm, requireDigestAlgorithm])
      expect(() => require(long, false)).toThrow(refusalIn('SAML_SIGNATURE_ALGORITHM', /"x{100}" is not accepted/));
  });
});
