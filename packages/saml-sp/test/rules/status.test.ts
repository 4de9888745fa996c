import { rule } from '../support/rule.ts';

const base = 'urn:oasis:names:tc:SAML:2.0:status:';
const status = (outer: string, inner = '') =>
  `<samlp:Status><samlp:StatusCode Value="${base}${outer}">${inner && `<samlp:StatusCode Value="${base}${inner}"/>`}</samlp:StatusCode><samlp:StatusMessage>&lt;script&gt;no&lt;/script&gt;</samlp:StatusMessage></samlp:Status>`;

rule('accepts only Success (saml-core-2.0 3.2.2.2)', [
  { name: 'Requester', code: 'SAML_STATUS', pieces: { status: status('Requester') } },
  { name: 'Responder / NoPassive', code: 'SAML_STATUS', pieces: { status: status('Responder', 'NoPassive') } },
  { name: 'Responder / AuthnFailed', code: 'SAML_STATUS', pieces: { status: status('Responder', 'AuthnFailed') } },
  { name: 'VersionMismatch', code: 'SAML_STATUS', pieces: { status: status('VersionMismatch') } },
  { name: 'a code nobody defined', code: 'SAML_STATUS', pieces: { status: status('Fine') } },
  { name: 'Success with a second code in it', code: 'SAML_STATUS', pieces: { status: status('Success', 'PartialLogout') } },
  {
    name: 'an unsigned refusal is told as a refusal, there is nobody to sign in',
    code: 'SAML_STATUS',
    sign: 'none',
    pieces: { status: status('Responder', 'AuthnFailed') },
    response: xml => xml.replace(/<saml:(Encrypted)?Assertion.*Assertion>/s, ''),
  },
  {
    name: 'Success without an assertion',
    code: 'SAML_STRUCTURE',
    response: xml => xml.replace(/<saml:(Encrypted)?Assertion.*Assertion>/s, ''),
  },
]);
