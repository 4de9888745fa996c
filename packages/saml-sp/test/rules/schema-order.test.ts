import { rule } from '../support/rule.ts';

const schema = 'SAML_SCHEMA_INVALID' as const;

rule('validates against the schema of the standard (saml-core-2.0 1.3; misplaced Signature)', [
  { name: 'ID empty on the Response', code: schema, response: xml => xml.replace('ID="_response1"', 'ID=""'), sign: 'assertion' },
  { name: 'ID missing on the Response', code: schema, response: xml => xml.replace(' ID="_response1"', ''), sign: 'assertion' },
  {
    name: 'ID empty on the Assertion',
    code: schema,
    assertion: xml => xml.replace('ID="_assertion1"', 'ID=""'),
    sign: 'response',
  },
  { name: 'ID missing on the Assertion', code: schema, assertion: xml => xml.replace('ID="_assertion1" ', ''), sign: 'response' },
  { name: 'ID that is no NCName', code: schema, assertion: xml => xml.replace('ID="_assertion1"', 'ID="1 a"'), sign: 'response' },
  { name: 'Version missing on the Response', code: schema, response: xml => xml.replace(' Version="2.0"', '') },
  { name: 'IssueInstant empty', code: schema, assertion: xml => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant=""') },
  { name: 'IssueInstant missing', code: schema, assertion: xml => xml.replace(/ IssueInstant="[^"]*"/, '') },
  {
    name: 'IssueInstant of the Response in another format',
    code: schema,
    response: xml => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="20.11.2026"'),
  },
  { name: 'Status empty', code: schema, pieces: { status: '<samlp:Status/>' } },
  { name: 'Status missing', code: schema, pieces: { status: '' } },
  { name: 'StatusCode without Value', code: schema, pieces: { status: '<samlp:Status><samlp:StatusCode/></samlp:Status>' } },
  { name: 'Assertion without Issuer', code: schema, pieces: { assertionIssuer: '' } },
  { name: 'Subject empty', code: schema, pieces: { subject: '<saml:Subject/>' } },
  { name: 'SubjectConfirmation without Method', code: schema, assertion: xml => xml.replace(/ Method="[^"]*"/, '') },
  {
    name: 'SubjectConfirmationData/@NotOnOrAfter in another format',
    code: schema,
    assertion: xml => xml.replace(/NotOnOrAfter="[^"]*" Recipient/, 'NotOnOrAfter="soon" Recipient'),
  },
  {
    name: 'SubjectConfirmationData/@NotOnOrAfter empty',
    code: schema,
    assertion: xml => xml.replace(/NotOnOrAfter="[^"]*" Recipient/, 'NotOnOrAfter="" Recipient'),
  },
  { name: 'Conditions/@NotBefore empty', code: schema, assertion: xml => xml.replace(/NotBefore="[^"]*"/, 'NotBefore=""') },
  {
    name: 'Conditions/@NotBefore in another format',
    code: schema,
    assertion: xml => xml.replace(/NotBefore="[^"]*"/, 'NotBefore="now"'),
  },
  {
    name: 'Conditions/@NotOnOrAfter empty',
    code: schema,
    assertion: xml => xml.replace(/NotOnOrAfter="[^"]*">/, 'NotOnOrAfter="">'),
  },
  { name: 'AudienceRestriction without Audience', code: schema, pieces: { audience: '<saml:AudienceRestriction/>' } },
  {
    name: 'AuthnStatement without AuthnContext',
    code: schema,
    assertion: xml => xml.replace(/<saml:AuthnContext>.*<\/saml:AuthnContext>/, ''),
  },
  {
    name: 'AuthnContext empty',
    code: schema,
    assertion: xml => xml.replace(/<saml:AuthnContext>.*<\/saml:AuthnContext>/, '<saml:AuthnContext/>'),
  },
  { name: 'AttributeStatement empty', code: schema, pieces: { attributes: '<saml:AttributeStatement/>' } },
  {
    name: 'Attribute without Name',
    code: schema,
    assertion: xml => xml.replace(/<saml:Attribute Name="[^"]*"/, '<saml:Attribute'),
  },
  {
    name: 'Issuer after Subject',
    code: schema,
    sign: 'response',
    assertion: xml => xml.replace(/(<saml:Issuer>.*?<\/saml:Issuer>)(<saml:Subject>.*<\/saml:Subject>)/, '$2$1'),
  },
  {
    name: 'Signature at the end of the Assertion',
    code: schema,
    sign: 'assertion',
    signedAssertion: xml => xml.replace(/(<ds:Signature.*<\/ds:Signature>)(.*)(<\/saml:Assertion>)/, '$2$1$3'),
  },
  {
    name: 'an attribute nobody defined',
    code: schema,
    assertion: xml => xml.replace('<saml:Subject>', '<saml:Subject Role="admin">'),
  },
  {
    name: 'an element nobody defined',
    code: schema,
    assertion: xml => xml.replace('<saml:Subject>', '<saml:Admin/><saml:Subject>'),
  },
  {
    name: 'the right local name in no namespace',
    code: schema,
    assertion: xml => xml.replace('<saml:Subject>', '<Subject xmlns="">').replace('</saml:Subject>', '</Subject>'),
  },
  {
    name: 'a prefix that shadows saml with another URI',
    code: schema,
    assertion: xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns:saml="urn:evil">'),
  },
  {
    name: 'an unknown xsi:type on something else than an attribute value',
    code: schema,
    assertion: xml =>
      xml.replace(
        '<saml:AuthnContextClassRef>',
        '<saml:AuthnContextClassRef xmlns:e="urn:evil" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="e:any">',
      ),
  },
  { name: 'text between elements', code: schema, assertion: xml => xml.replace('<saml:Subject>', 'admin<saml:Subject>') },
]);
