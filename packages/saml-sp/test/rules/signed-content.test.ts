import { createHash } from 'node:crypto';
import { rule } from '../support/rule.ts';
import { canonical } from '../support/signer.ts';

const invalid = 'SAML_SIGNATURE_INVALID' as const;
const assertionOnly = { sign: 'assertion' as const };

/** An attacker's step: the digest of what the assertion says now. */
function withGoodDigest(assertion: string): string {
  const unsigned = assertion.replace(/<ds:Signature .*?<\/ds:Signature>/s, '');
  const digest = createHash('sha256').update(canonical(unsigned, '_assertion1')).digest('base64');
  return assertion.replace(/<ds:DigestValue>[^<]*/, `<ds:DigestValue>${digest}`);
}

rule('refuses any change of what was signed', [
  { name: 'another NameID', code: invalid, ...assertionOnly, signedAssertion: xml => xml.replace('>alice<', '>admin<') },
  {
    name: 'another NameID under a signed Response',
    code: invalid,
    sign: 'response',
    modes: ['plain'],
    wire: xml => (xml as string).replace('>alice<', '>admin<'),
  },
  { name: 'another attribute value', code: invalid, ...assertionOnly, signedAssertion: xml => xml.replace('alice@', 'admin@') },
  {
    name: 'another Audience',
    code: invalid,
    ...assertionOnly,
    signedAssertion: xml => xml.replace('<saml:Audience>', '<saml:Audience>x'),
  },
  {
    name: 'a later end',
    code: invalid,
    ...assertionOnly,
    signedAssertion: xml => xml.replace(/(Conditions[^>]*NotOnOrAfter=")2026/, '$12027'),
  },
  {
    name: 'another prefix for the same namespace',
    code: invalid,
    ...assertionOnly,
    signedAssertion: xml => xml.replaceAll('saml:', 'evil:').replace('xmlns:saml', 'xmlns:evil'),
  },
  {
    name: 'white space between elements',
    code: invalid,
    ...assertionOnly,
    signedAssertion: xml => xml.replace('<saml:Conditions', ' <saml:Conditions'),
  },
  {
    name: 'another Destination on a signed Response',
    code: invalid,
    sign: 'response',
    wire: xml => xml.replace('https://sp.example.org/saml/acs"', 'https://sp.example.org/saml/ac"'),
  },
  {
    name: 'the digest of something else, which the provider itself signed',
    code: invalid,
    ...assertionOnly,
    signAssertion: { signedInfo: xml => xml.replace(/<ds:DigestValue>...../, '<ds:DigestValue>AAAAA') },
  },
  {
    name: 'a good digest over changed content, SignedInfo not signed anew',
    code: invalid,
    ...assertionOnly,
    signedAssertion: xml => withGoodDigest(xml.replace('>alice<', '>admin<')),
  },
  {
    name: 'SignedInfo changed where nothing depends on it',
    code: invalid,
    ...assertionOnly,
    signAssertion: { tamper: xml => xml.replace('<ds:Reference ', '<ds:Reference Id="x" ') },
  },
  {
    name: 'attributes in another order are the same document',
    code: 'accepted',
    ...assertionOnly,
    signedAssertion: xml => xml.replace(/ID="_assertion1" Version="2.0"/, 'Version="2.0" ID="_assertion1"'),
  },
  {
    name: 'other quotes are the same document',
    code: 'accepted',
    ...assertionOnly,
    signedAssertion: xml => xml.replace('Version="2.0"', "Version='2.0'"),
  },
  {
    name: 'a character reference is the same character',
    code: 'accepted',
    ...assertionOnly,
    signedAssertion: xml => xml.replace('>alice<', '>&#97;lice<'),
  },
]);
