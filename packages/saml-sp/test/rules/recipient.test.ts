import { rule } from '../support/rule.ts';
import { sp } from '../support/world.ts';

const to = (recipient: string) => (xml: string) => xml.replace(/ Recipient="[^"]*"/, ` Recipient="${recipient}"`);

rule('requires our exact address as Recipient (saml-profiles-2.0 4.1.4.3; ignored conditions)', [
  { name: 'missing', code: 'SAML_RECIPIENT', assertion: xml => xml.replace(/ Recipient="[^"]*"/, '') },
  { name: 'empty', code: 'SAML_RECIPIENT', assertion: to('') },
  { name: 'another service provider', code: 'SAML_RECIPIENT', assertion: to('https://other.example.org/acs') },
  { name: 'a default port', code: 'SAML_RECIPIENT', assertion: to('https://sp.example.org:443/saml/acs') },
  { name: 'another letter case', code: 'SAML_RECIPIENT', assertion: to('HTTPS://sp.example.org/saml/acs') },
  { name: 'ours as a prefix', code: 'SAML_RECIPIENT', assertion: to(`${sp.acs}/other`) },
]);
