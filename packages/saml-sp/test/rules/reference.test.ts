import { rule } from '../support/rule.ts';

const profile = 'SAML_SIGNATURE_PROFILE' as const;
const uri = (value: string) => ({ signAssertion: { uri: value } });
const info = (change: (xml: string) => string) => ({ signAssertion: { signedInfo: change } });
const repeat = (count: number) => info(xml => xml.replace(/<ds:Reference .*<\/ds:Reference>/s, found => found.repeat(count)));

rule(
  'requires one Reference, to the ID of the signed element (saml-core-2.0 5.4.2; misplaced Signature, Reference to something else, duplicate IDs, several References)',
  [
    { name: 'URI empty', code: profile, ...uri('') },
    { name: 'URI missing', code: 'SAML_STRUCTURE', ...info(xml => xml.replace(/ URI="[^"]*"/, '')) },
    { name: '#', code: profile, ...uri('#') },
    { name: '#xpointer(/)', code: profile, ...uri('#xpointer(/)') },
    { name: "#xpointer(id('_assertion1'))", code: profile, ...uri("#xpointer(id('_assertion1'))") },
    { name: 'percent-encoded', code: profile, ...uri('#%5Fassertion1') },
    { name: 'an absolute URI', code: profile, ...uri('https://idp.example.edu/a.xml') },
    { name: 'a file', code: profile, ...uri('file:///etc/passwd') },
    { name: 'an unknown ID', code: profile, ...uri('#_nobody') },
    { name: 'the ID of the Response', code: profile, ...uri('#_response1') },
    { name: 'white space around it', code: profile, ...uri(' #_assertion1') },
    { name: 'no Reference', code: 'SAML_SCHEMA_INVALID', ...info(xml => xml.replace(/<ds:Reference .*<\/ds:Reference>/s, '')) },
    { name: 'two References', code: profile, ...repeat(2) },
    { name: '16 References', code: profile, ...repeat(16) },
    {
      name: 'a Reference with a Type',
      code: profile,
      ...info(xml => xml.replace('<ds:Reference', '<ds:Reference Type="http://www.w3.org/2000/09/xmldsig#Object"')),
    },
    {
      name: 'a detached signature: the Response’s signature points at the assertion',
      code: profile,
      sign: 'response',
      signResponse: { uri: '#_assertion1' },
    },
    {
      name: 'two elements of one ID',
      code: 'SAML_SCHEMA_INVALID',
      sign: 'assertion',
      assertion: xml => xml.replace('_assertion1', '_response1'),
      modes: ['plain'],
    },
  ],
);
