import { rule } from '../support/rule.ts';
import { sp } from '../support/world.ts';

const to = (destination: string) => (xml: string) => xml.replace(/ Destination="[^"]*"/, ` Destination="${destination}"`);

rule('requires our exact address as Destination (saml-core-2.0 3.2.2)', [
  { name: 'missing', code: 'SAML_DESTINATION', response: xml => xml.replace(/ Destination="[^"]*"/, '') },
  { name: 'empty', code: 'SAML_DESTINATION', response: to('') },
  { name: 'another host', code: 'SAML_DESTINATION', response: to('https://evil.example.org/saml/acs') },
  { name: 'another path on our host', code: 'SAML_DESTINATION', response: to('https://sp.example.org/saml/slo') },
  { name: 'a default port', code: 'SAML_DESTINATION', response: to('https://sp.example.org:443/saml/acs') },
  { name: 'another letter case', code: 'SAML_DESTINATION', response: to('https://SP.example.org/saml/acs') },
  { name: 'a trailing slash', code: 'SAML_DESTINATION', response: to(`${sp.acs}/`) },
  { name: 'ours as a prefix', code: 'SAML_DESTINATION', response: to(`${sp.acs}.evil.example`) },
]);
