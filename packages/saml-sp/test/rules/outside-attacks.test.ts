import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { encryptElement } from '../support/encryptor.ts';
import { testKey } from '../support/keys.ts';
import { buildAssertion, buildResponse } from '../support/response.ts';
import { rule } from '../support/rule.ts';
import { knownIdp } from '../support/world.ts';

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const within = (content: string) => ({
  sign: 'assertion' as const,
  wire: (xml: string) => xml.replace('<samlp:Status>', () => `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`),
});
const put = (at: string, attribute: string) => ({ assertion: (xml: string) => xml.replace(at, `${at}${attribute} `) });
const signedByEncryptionKey = {
  options: {
    identityProviders: [{ ...knownIdp(), encryptionKeys: [publicKeyOfCertificate(testKey('other').certificate)] }],
  },
};

rule('refuses attacks from other lists that no other rule here names', [
  {
    name: 'an attribute twice, by two prefixes of one namespace',
    code: 'SAML_XML_MALFORMED',
    ...within('<x:a xmlns:x="urn:x" xmlns:p="urn:y" xmlns:q="urn:y" p:a="1" q:a="2"/>'),
  },
  {
    name: 'an assertion that is encrypted twice',
    code: 'SAML_STRUCTURE',
    sign: 'assertion',
    modes: ['encrypted'],
    signedAssertion: xml => encryptElement(xml, 'EncryptedAssertion'),
  },
  {
    name: 'a whole signed Response that is encrypted in place of the assertion',
    code: 'SAML_STRUCTURE',
    sign: 'assertion',
    modes: ['encrypted'],
    signedAssertion: () => String(buildResponse()),
  },
  {
    name: 'an assertion of the provider within an attacker’s, both in one ciphertext',
    code: 'wrapped',
    sign: 'none',
    modes: ['encrypted'],
    signedAssertion: xml =>
      xml.replace('alice@example.edu', () => buildAssertion({ sign: 'assertion' })).replace('>alice<', '>admin<'),
  },
  {
    name: 'signed with the key that the provider publishes for encryption alone',
    code: 'SAML_SIGNATURE_INVALID',
    sign: 'assertion',
    signAssertion: { key: 'other' },
    ...signedByEncryptionKey,
  },
  {
    name: 'xml:base on the assertion',
    code: 'SAML_SCHEMA_INVALID',
    ...put('<saml:Assertion ', 'xml:base="https://evil.example"'),
  },
  { name: 'a NameID that is said to be nil', code: 'SAML_SCHEMA_INVALID', ...put('<saml:NameID ', `${xsi} xsi:nil="true"`) },
  {
    name: 'a confirmation of the type that names a key, without one',
    code: 'SAML_SCHEMA_INVALID',
    ...put('<saml:SubjectConfirmationData ', `${xsi} xsi:type="saml:KeyInfoConfirmationDataType"`),
  },
  {
    name: 'an Issuer with a blank of another kind behind it',
    code: 'SAML_ISSUER',
    assertion: xml => xml.replace('</saml:Issuer>', '&#160;</saml:Issuer>'),
  },
]);
