import { expect } from 'vitest';
import { rule } from '../support/rule.ts';

const unasked = { pending: null, policy: { dangerouslyAllowUnsolicited: true } };
const withoutRequest = (xml: string) => xml.replaceAll(' InResponseTo="_request1"', '');

rule('a sign-in that nobody began is refused unless its provider may (replay, switched-off providers)', [
  { name: 'an answer without a pending sign-in', code: 'SAML_UNSOLICITED', pending: null },
  { name: 'unsolicited', code: 'SAML_UNSOLICITED', pending: null, assertion: withoutRequest, response: withoutRequest },
  { name: 'unsolicited and allowed', code: 'accepted', ...unasked, assertion: withoutRequest, response: withoutRequest },
  {
    name: 'allowed, with a RelayState of 300 characters, which is handed on',
    code: 'accepted',
    ...unasked,
    relayState: 'https://sp.example.org/notes?'.padEnd(300, 'x'),
    assertion: withoutRequest,
    response: withoutRequest,
    expect: identity => expect(identity.relayState).toBe('https://sp.example.org/notes?'.padEnd(300, 'x')),
  },
  { name: 'allowed, but the Response names a request', code: 'SAML_IN_RESPONSE_TO', ...unasked, assertion: withoutRequest },
  {
    name: 'allowed, but the confirmation names a request',
    code: 'SAML_IN_RESPONSE_TO',
    ...unasked,
    response: xml => xml.replace(' InResponseTo="_request1">', '>'),
  },
  {
    name: 'allowed, but from a provider nobody knows',
    code: 'SAML_UNKNOWN_IDP',
    ...unasked,
    assertion: withoutRequest,
    response: xml =>
      withoutRequest(xml).replace('<saml:Issuer>https://idp.example.edu/metadata<', '<saml:Issuer>https://nobody.example<'),
  },
  {
    name: 'allowed, but the provider is switched off',
    code: 'SAML_UNKNOWN_IDP',
    pending: null,
    policy: { dangerouslyAllowUnsolicited: true, enabled: false },
    assertion: withoutRequest,
    response: withoutRequest,
  },
]);
