import { rule } from '../support/rule.ts';

const keyInfo = (attribute: string) => ({
  signAssertion: { tamper: (xml: string) => xml.replace('<ds:KeyInfo>', `<ds:KeyInfo ${attribute}>`) },
});
const extra = (attribute: string) => ({
  assertion: (xml: string) => xml.replace('<saml:AttributeValue>', `<saml:AttributeValue ${attribute}>`),
});
const data = (attribute: string) => ({
  assertion: (xml: string) => xml.replace('<saml:SubjectConfirmationData ', `<saml:SubjectConfirmationData ${attribute} `),
});

rule('refuses two IDs with the same value, however the attribute is spelled (duplicate IDs)', [
  { name: 'Id of KeyInfo equals the ID of the assertion', code: 'SAML_SCHEMA_INVALID', ...keyInfo('Id="_assertion1"') },
  { name: 'x:ID equals the ID of the assertion', code: 'SAML_DUPLICATE_ID', ...data('xmlns:x="urn:x" x:ID="_assertion1"') },
  { name: 'x:id equals the ID of the assertion', code: 'SAML_DUPLICATE_ID', ...data('xmlns:x="urn:x" x:id="_assertion1"') },
  { name: 'xml:id equals the ID of the assertion', code: 'SAML_SCHEMA_INVALID', ...data('xml:id="_assertion1"') },
  { name: 'xml:id of its own', code: 'SAML_DUPLICATE_ID', ...data('xml:id="_own"') },
  { name: 'id in no namespace', code: 'SAML_DUPLICATE_ID', ...extra('id="_assertion1"') },
  {
    name: 'id with white space around it equals the ID of the assertion',
    code: 'SAML_DUPLICATE_ID',
    ...extra('id=" _assertion1&#9;"'),
  },
  { name: 'iD, in letters of both cases', code: 'SAML_DUPLICATE_ID', ...extra('iD="_assertion1"') },
  { name: 'an attribute whose name only ends like one', code: 'accepted', ...extra('AssertionID="_assertion1"') },
  { name: 'Id of KeyInfo with a value of its own', code: 'accepted', ...keyInfo('Id="_own"') },
]);
