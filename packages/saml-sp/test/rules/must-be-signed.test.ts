import { type KeyName, testKey } from '../support/keys.ts';
import { rule } from '../support/rule.ts';

const certificateOf = (key: KeyName): string =>
  `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${testKey(key).base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
const noise = Buffer.alloc(256, 7).toString('base64');

rule(
  'requires signatures by a key of the metadata (signatures optional without a key, trusting KeyInfo, encryption taken for authentication, stripped signatures, random signatures)',
  [
    { name: 'nothing is signed', code: 'SAML_SIGNATURE_MISSING', sign: 'none' },
    {
      name: 'the Response must be signed and only the Assertion is',
      code: 'SAML_SIGNATURE_MISSING',
      sign: 'assertion',
      policy: { wantResponseSigned: true },
    },
    {
      name: 'the Assertion must be signed and only the Response is',
      code: 'SAML_SIGNATURE_MISSING',
      sign: 'response',
      policy: { wantAssertionsSigned: true },
    },
    { name: 'both must be signed and are', code: 'accepted', policy: { wantResponseSigned: true, wantAssertionsSigned: true } },
    {
      name: 'signed by an attacker who sends the own certificate along',
      code: 'SAML_SIGNATURE_INVALID',
      signAssertion: { key: 'attacker' },
      signResponse: { key: 'attacker' },
    },
    { name: 'only the Assertion by the attacker', code: 'SAML_SIGNATURE_INVALID', signAssertion: { key: 'attacker' } },
    { name: 'only the Response by the attacker', code: 'SAML_SIGNATURE_INVALID', signResponse: { key: 'attacker' } },
    {
      name: 'the good certificate in KeyInfo over the attacker’s signature',
      code: 'SAML_SIGNATURE_INVALID',
      sign: 'assertion',
      signAssertion: { key: 'attacker', keyInfo: certificateOf('idp') },
    },
    {
      name: 'the signature stripped from the Assertion of a signed Response',
      code: 'SAML_SIGNATURE_INVALID',
      modes: ['plain'],
      wire: xml => xml.replace(/(<saml:Assertion.*?)<ds:Signature.*?<\/ds:Signature>/s, '$1'),
    },
    {
      name: 'both signatures stripped',
      code: 'SAML_SIGNATURE_MISSING',
      signedAssertion: xml => xml.replace(/<ds:Signature.*?<\/ds:Signature>/s, ''),
      wire: xml => xml.replace(/<ds:Signature.*?<\/ds:Signature>/s, ''),
    },
    {
      name: 'a signature value of noise',
      code: 'SAML_SIGNATURE_INVALID',
      sign: 'assertion',
      signAssertion: { tamper: xml => xml.replace(/<ds:SignatureValue>[^<]*/, `<ds:SignatureValue>${noise}`) },
    },
    {
      name: 'an unsigned assertion encrypted to us by anyone',
      code: 'SAML_SIGNATURE_MISSING',
      modes: ['encrypted'],
      sign: 'none',
    },
    {
      name: 'the assertion must be encrypted and is not',
      code: 'SAML_ENCRYPTION_PROFILE',
      modes: ['plain'],
      policy: { wantAssertionsEncrypted: true },
    },
    {
      name: 'the assertion must be encrypted and is',
      code: 'accepted',
      modes: ['encrypted'],
      policy: { wantAssertionsEncrypted: true },
    },
    {
      name: 'KeyInfo missing, the key is known anyway',
      code: 'accepted',
      signAssertion: { keyInfo: '' },
      signResponse: { keyInfo: '' },
    },
  ],
);
