import { encryptElement } from '../support/encryptor.ts';
import { buildAssertion } from '../support/response.ts';
import { rule } from '../support/rule.ts';

const unsignedEvil = buildAssertion({
  sign: 'none',
  assertion: xml => xml.replace('alice', 'admin').replace('_assertion1', '_evil'),
});
const encryptedEvil = encryptElement(unsignedEvil, 'EncryptedAssertion');
const carried = /<saml:(Encrypted)?Assertion .*Assertion>(?=<\/samlp:Response>)/s;
const inExtensions = (text: string) => `<samlp:Extensions>${text}</samlp:Extensions>`;
const before = (text: string) => (xml: string) => xml.replace(carried, found => text + found);
const after = (text: string) => (xml: string) => xml.replace(carried, found => found + text);

rule('requires exactly one assertion, in its place (second assertions, encryption taken for authentication)', [
  { name: 'an unsigned one before', code: 'SAML_STRUCTURE', sign: 'assertion', wire: before(unsignedEvil) },
  { name: 'an unsigned one after', code: 'SAML_STRUCTURE', sign: 'assertion', wire: after(unsignedEvil) },
  { name: 'an encrypted one before', code: 'SAML_STRUCTURE', sign: 'assertion', wire: before(encryptedEvil) },
  { name: 'an encrypted one after', code: 'SAML_STRUCTURE', sign: 'assertion', wire: after(encryptedEvil) },
  {
    name: 'two that the provider itself signed in one Response',
    code: 'SAML_STRUCTURE',
    sign: 'response',
    pieces: { afterAssertion: unsignedEvil },
  },
  // Nothing is ever read from these places, but other software may look there.
  {
    name: 'an unsigned one in Extensions',
    code: 'SAML_STRUCTURE',
    sign: 'assertion',
    pieces: { extensions: inExtensions(unsignedEvil) },
  },
  {
    name: 'an encrypted one in Extensions',
    code: 'SAML_STRUCTURE',
    sign: 'assertion',
    pieces: { extensions: inExtensions(encryptedEvil) },
  },
  {
    name: 'an unsigned one in StatusDetail',
    code: 'SAML_STRUCTURE',
    sign: 'assertion',
    wire: xml => xml.replace('</samlp:Status>', () => `<samlp:StatusDetail>${unsignedEvil}</samlp:StatusDetail></samlp:Status>`),
  },
  {
    name: 'one in the Advice of the signed one',
    code: 'SAML_STRUCTURE',
    pieces: { advice: `<saml:Advice>${unsignedEvil}</saml:Advice>` },
  },
  {
    name: 'one in an attribute of the signed one',
    code: 'SAML_STRUCTURE',
    assertion: xml => xml.replace('alice@example.edu', () => unsignedEvil),
  },
  {
    name: 'the attacker’s encrypted assertion in place of the signed one',
    code: 'SAML_SIGNATURE_MISSING',
    sign: 'assertion',
    wire: xml => xml.replace(carried, () => encryptedEvil),
  },
  {
    name: 'the same under a Response that was signed over another one',
    code: 'SAML_SIGNATURE_INVALID',
    sign: 'response',
    wire: xml => xml.replace(carried, () => encryptedEvil),
  },
  { name: 'no assertion at all', code: 'SAML_STRUCTURE', response: xml => xml.replace(carried, '') },
]);
