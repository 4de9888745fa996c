import { rule } from '../support/rule.ts';

rule('requires Version 2.0 (saml-core-2.0 2.3.3, 3.2.2)', [
  {
    name: 'Response 1.1',
    code: 'SAML_VERSION',
    response: xml => xml.replace('ID="_response1" Version="2.0"', 'ID="_response1" Version="1.1"'),
  },
  {
    name: 'Response 3.0',
    code: 'SAML_VERSION',
    response: xml => xml.replace('ID="_response1" Version="2.0"', 'ID="_response1" Version="3.0"'),
  },
  { name: 'Assertion 1.1', code: 'SAML_VERSION', assertion: xml => xml.replace('Version="2.0"', 'Version="1.1"') },
  { name: 'Assertion version empty', code: 'SAML_VERSION', assertion: xml => xml.replace('Version="2.0"', 'Version=""') },
]);
