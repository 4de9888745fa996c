import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { testKey } from '../support/keys.ts';
import { rule } from '../support/rule.ts';
import { knownIdp } from '../support/world.ts';

const refused = 'SAML_SIGNATURE_ALGORITHM' as const;
const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const dsig = 'http://www.w3.org/2000/09/xmldsig#';
const sha1 = { signatureAlgorithm: `${dsig}rsa-sha1`, digestAlgorithm: `${dsig}sha1` };
const by = (signatureAlgorithm: string) => ({
  signAssertion: { signedInfo: (xml: string) => xml.replace(/(SignatureMethod Algorithm=")[^"]*/, `$1${signatureAlgorithm}`) },
});
const digestBy = (digest: string) => ({
  signAssertion: { signedInfo: (xml: string) => xml.replace(/(DigestMethod Algorithm=")[^"]*/, `$1${digest}`) },
});
const ecdsa = (bits: number, key: 'idp-ec' | 'idp-ec384') => ({
  signAssertion: { key, signatureAlgorithm: `${more}ecdsa-sha${bits}` },
  sign: 'assertion' as const,
});
const withKey384 = {
  options: { identityProviders: [{ ...knownIdp(), signingKeys: [publicKeyOfCertificate(testKey('idp-ec384').certificate)] }] },
};

const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const pss = (content: string) =>
  `<pss:RSAPSSParams xmlns:pss="http://www.w3.org/2007/05/xmldsig-more#">${content}</pss:RSAPSSParams>`;

rule('accepts only algorithms of our list, by exact name (ALG01 to ALG05; decoy algorithms, key confusion)', [
  {
    name: 'rsa-sha512 over sha512',
    code: 'accepted',
    signAssertion: { signatureAlgorithm: `${more}rsa-sha512`, digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha512' },
  },
  {
    name: 'rsa-sha384 over sha384',
    code: 'accepted',
    signAssertion: { signatureAlgorithm: `${more}rsa-sha384`, digestAlgorithm: `${more}sha384` },
  },
  {
    name: 'RSA-PSS',
    code: 'accepted',
    signAssertion: { signatureAlgorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1' },
  },
  ...(
    [
      ['no parameters', '', 'accepted'],
      ['SHA-256 named', pss(`<ds:DigestMethod Algorithm="${sha256}"></ds:DigestMethod>`), 'accepted'],
      ['a salt of 32', pss('<pss:SaltLength>32</pss:SaltLength>'), 'accepted'],
      ['no salt', pss('<pss:SaltLength>0</pss:SaltLength>'), 'SAML_SIGNATURE_PROFILE'],
      [
        'SHA-1',
        pss('<ds:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"></ds:DigestMethod>'),
        'SAML_SIGNATURE_ALGORITHM',
      ],
      [
        'another digest for the mask',
        pss(
          `<pss:MaskGenerationFunction Algorithm="urn:mgf1"><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha512"></ds:DigestMethod></pss:MaskGenerationFunction>`,
        ),
        'SAML_SIGNATURE_PROFILE',
      ],
      ['something else', '<x:a xmlns:x="urn:x"></x:a>', 'SAML_SIGNATURE_PROFILE'],
    ] as const
  ).map(([name, parameters, code]) => ({
    name: `RSASSA-PSS by the name of RFC 9231 with ${name}`,
    code,
    sign: 'assertion' as const,
    signAssertion: {
      signatureAlgorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
      signedInfo: (xml: string) =>
        xml.replace(/#sha256-rsa-MGF1"><\/ds:SignatureMethod>/, `#rsa-pss">${parameters}</ds:SignatureMethod>`),
    },
  })),
  { name: 'ecdsa-sha256', code: 'accepted', ...ecdsa(256, 'idp-ec') },
  { name: 'ecdsa-sha384 on P-384', code: 'accepted', ...ecdsa(384, 'idp-ec384'), ...withKey384 },
  { name: 'rsa-sha1', code: refused, signAssertion: sha1, sign: 'assertion' },
  {
    name: 'rsa-sha1, for a provider that cannot do better',
    code: 'accepted',
    signAssertion: sha1,
    sign: 'assertion',
    policy: { dangerouslyAllowSha1: true },
  },
  { name: 'a sha1 digest under rsa-sha256', code: refused, signAssertion: { digestAlgorithm: `${dsig}sha1` } },
  { name: 'hmac-sha1 keyed with the public key', code: refused, ...by(`${dsig}hmac-sha1`) },
  { name: 'hmac-sha256', code: refused, ...by(`${more}hmac-sha256`) },
  { name: 'dsa-sha1', code: refused, ...by(`${dsig}dsa-sha1`) },
  { name: 'rsa-md5', code: refused, ...by(`${more}rsa-md5`) },
  { name: 'unknown', code: refused, ...by('urn:none') },
  { name: 'empty', code: refused, ...by('') },
  { name: 'white space behind the name', code: refused, ...by(`${more}rsa-sha256 `) },
  { name: 'constructor', code: refused, ...by('constructor') },
  { name: '__proto__', code: refused, ...by('__proto__') },
  { name: 'digest md5', code: refused, ...digestBy(`${more}md5`) },
  { name: 'digest toString', code: refused, ...digestBy('toString') },
  {
    name: 'HMACOutputLength',
    code: 'SAML_SIGNATURE_PROFILE',
    signAssertion: {
      signedInfo: xml =>
        xml.replace('></ds:SignatureMethod>', '><ds:HMACOutputLength>8</ds:HMACOutputLength></ds:SignatureMethod>'),
    },
  },
  {
    name: 'canonicalization with comments',
    code: 'SAML_SIGNATURE_PROFILE',
    signAssertion: { c14n: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments' },
  },
  {
    name: 'inclusive canonicalization of SignedInfo',
    code: 'SAML_SIGNATURE_PROFILE',
    signAssertion: { c14n: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' },
  },
  {
    name: 'an ECDSA signature by the RSA name',
    code: 'SAML_SIGNATURE_INVALID',
    sign: 'assertion',
    signAssertion: { key: 'idp-ec' },
    modes: ['plain'],
    options: { identityProviders: [{ ...knownIdp(), signingKeys: [publicKeyOfCertificate(testKey('idp-ec').certificate)] }] },
  },
]);
