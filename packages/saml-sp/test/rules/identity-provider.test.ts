import { rule } from '../support/rule.ts';
import { knownIdp, otherIdp } from '../support/world.ts';

const issuer = (name: string) => (xml: string) =>
  xml.replace('<saml:Issuer>https://idp.example.edu/metadata<', `<saml:Issuer>${name}<`);
const format = (value: string) => (xml: string) => xml.replace('<saml:Issuer>', `<saml:Issuer Format="${value}">`);

rule('requires the exact provider that we asked as Issuer (mixing up providers)', [
  { name: 'Response issued by another provider', code: 'SAML_ISSUER', response: issuer('https://other.example.com/metadata') },
  { name: 'Assertion issued by another provider', code: 'SAML_ISSUER', assertion: issuer('https://other.example.com/metadata') },
  { name: 'Response issuer empty', code: 'SAML_ISSUER', response: issuer('') },
  { name: 'Response issuer missing', code: 'SAML_ISSUER', sign: 'assertion', pieces: { responseIssuer: '' } },
  { name: 'Assertion issuer empty', code: 'SAML_ISSUER', assertion: issuer('') },
  { name: 'a trailing slash', code: 'SAML_ISSUER', assertion: issuer('https://idp.example.edu/metadata/') },
  { name: 'white space around it', code: 'SAML_ISSUER', assertion: issuer(' https://idp.example.edu/metadata ') },
  { name: 'another letter case', code: 'SAML_ISSUER', assertion: issuer('https://IDP.example.edu/metadata') },
  {
    name: 'Response Issuer of another format',
    code: 'SAML_ISSUER',
    response: format('urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'),
  },
  {
    name: 'Assertion Issuer of another format',
    code: 'SAML_ISSUER',
    assertion: format('urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'),
  },
  {
    name: 'Issuer with the entity format written out',
    code: 'accepted',
    assertion: format('urn:oasis:names:tc:SAML:2.0:nameid-format:entity'),
  },
  {
    name: 'an honest answer at the transaction of another provider',
    code: 'SAML_SIGNATURE_INVALID',
    pending: { identityProvider: 'https://other.example.com/metadata' },
  },
  {
    name: 'another honest provider answers in the name of the one asked',
    code: 'SAML_SIGNATURE_INVALID',
    signAssertion: { key: 'other' },
    signResponse: { key: 'other' },
  },
  { name: 'the provider is switched off', code: 'SAML_UNKNOWN_IDP', policy: { enabled: false } },
  { name: 'the provider was removed', code: 'SAML_UNKNOWN_IDP', options: { identityProviders: [otherIdp()] } },
  {
    name: 'its metadata has run out',
    code: 'SAML_METADATA_EXPIRED',
    options: { identityProviders: [{ ...knownIdp(), validUntil: new Date('2026-11-20T11:59:59Z') }] },
  },
  { name: 'it has no signing key', code: 'SAML_KEY', options: { identityProviders: [{ ...knownIdp(), signingKeys: [] }] } },
]);
