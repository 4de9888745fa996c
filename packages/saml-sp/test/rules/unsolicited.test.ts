import { expect } from 'vitest';
import { type Fault, rule } from '../support/rule.ts';
import { sp } from '../support/world.ts';

const unasked = { pending: null, policy: { dangerouslyAllowUnsolicited: true } };
const second = 'https://sp.example.org/saml/acs2';
const withoutRequest = (xml: string) => xml.replaceAll(' InResponseTo="_request1"', '');

rule('refuses an unsolicited sign-in unless the policy allows it (replay, switched-off providers)', [
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
  ...(
    [
      ['at our second address', second, second, 'accepted'],
      ['at our first of two', sp.acs, sp.acs, 'accepted'],
      ['at our second address, for the first', second, sp.acs, 'SAML_RECIPIENT'],
      ['at our first address, for the second', sp.acs, second, 'SAML_RECIPIENT'],
      ['at an address that is none of ours', 'https://sp.example.org/saml/acs3', sp.acs, 'SAML_DESTINATION'],
      ['at our second address in other letters', second.toUpperCase(), second, 'SAML_DESTINATION'],
    ] as const
  ).map(
    ([name, destination, recipient, code]): Fault => ({
      name: `allowed, ${name}`,
      code,
      ...unasked,
      options: { assertionConsumerServiceUrl: [sp.acs, second] },
      assertion: xml => withoutRequest(xml).replace(/Recipient="[^"]*"/, `Recipient="${recipient}"`),
      response: xml => withoutRequest(xml).replace(/Destination="[^"]*"/, `Destination="${destination}"`),
    }),
  ),
  {
    name: 'asked for at our second address, brought to the first',
    code: 'SAML_DESTINATION',
    options: { assertionConsumerServiceUrl: [sp.acs, second] },
    pending: { assertionConsumerServiceUrl: second },
  },
]);
