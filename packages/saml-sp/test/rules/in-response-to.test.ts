import { rule } from '../support/rule.ts';
import { secondsAt } from '../support/world.ts';

const inResponse = (value: string) => (xml: string) => xml.replace(/ InResponseTo="_request1">/, value);
const inConfirmation = (value: string) => (xml: string) => xml.replace(/ InResponseTo="_request1"\/>/, `${value}/>`);

rule('requires InResponseTo of the pending request, in Response and confirmation (saml-profiles-2.0 4.1.4.3; replay)', [
  { name: 'Response: another request', code: 'SAML_IN_RESPONSE_TO', response: inResponse(' InResponseTo="_request2">') },
  { name: 'Response: missing', code: 'SAML_IN_RESPONSE_TO', response: inResponse('>') },
  { name: 'Response: empty', code: 'SAML_SCHEMA_INVALID', response: inResponse(' InResponseTo="">') },
  { name: 'confirmation: another request', code: 'SAML_IN_RESPONSE_TO', assertion: inConfirmation(' InResponseTo="_request2"') },
  { name: 'confirmation: missing', code: 'SAML_IN_RESPONSE_TO', assertion: inConfirmation('') },
  { name: 'confirmation: empty', code: 'SAML_SCHEMA_INVALID', assertion: inConfirmation(' InResponseTo=""') },
  { name: 'another sign-in is pending', code: 'SAML_IN_RESPONSE_TO', pending: { requestId: '_request9' } },
  { name: 'the pending sign-in is too old', code: 'SAML_REQUEST_EXPIRED', pending: { expiresAt: secondsAt(-1) } },
  { name: 'RelayState of another sign-in', code: 'SAML_RELAY_STATE', pending: { relayState: 'relay-9' } },
  { name: 'RelayState of 4,097 characters', code: 'SAML_RELAY_STATE', relayState: 'x'.repeat(4097) },
]);
