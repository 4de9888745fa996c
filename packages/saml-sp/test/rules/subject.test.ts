import { expect } from 'vitest';
import { encryptElement } from '../support/encryptor.ts';
import { rule } from '../support/rule.ts';

const nameId = (replacement: string) => (xml: string) => xml.replace(/<saml:NameID .*?<\/saml:NameID>/, replacement);
const encrypted = (inner: string) => encryptElement(inner, 'EncryptedID');
const alice = '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">alice</saml:NameID>';

rule('requires one clear subject (saml-core-2.0 2.4)', [
  { name: 'Subject missing', code: 'SAML_SUBJECT', pieces: { subject: '' } },
  { name: 'NameID empty', code: 'SAML_SUBJECT', assertion: nameId('<saml:NameID/>') },
  { name: 'NameID of white space', code: 'SAML_SUBJECT', assertion: nameId('<saml:NameID> \n </saml:NameID>') },
  {
    name: 'NameID of 2,000 characters',
    code: 'SAML_SUBJECT',
    assertion: nameId(`<saml:NameID>${'a'.repeat(2000)}</saml:NameID>`),
  },
  { name: 'BaseID', code: 'SAML_SCHEMA_INVALID', assertion: nameId('<saml:BaseID/>') },
  { name: 'two NameIDs', code: 'SAML_SCHEMA_INVALID', assertion: nameId(alice + alice) },
  {
    name: 'an element inside NameID',
    code: 'SAML_SCHEMA_INVALID',
    assertion: nameId('<saml:NameID>alice<saml:NameID>bob</saml:NameID></saml:NameID>'),
  },
  {
    name: 'EncryptedID',
    code: 'accepted',
    assertion: nameId(encrypted(alice)),
    expect: identity => expect(identity.nameId?.value).toBe('alice'),
  },
  {
    name: 'EncryptedID that holds an Issuer',
    code: 'SAML_SUBJECT',
    assertion: nameId(encrypted(alice.replaceAll('NameID', 'Issuer'))),
  },
  {
    name: 'EncryptedID that holds an element inside NameID',
    code: 'SAML_SCHEMA_INVALID',
    assertion: nameId(encrypted(alice.replace('alice', 'alice<saml:NameID>bob</saml:NameID>'))),
  },
  {
    name: 'EncryptedID that holds a comment',
    code: 'SAML_XML_DOCTYPE',
    assertion: nameId(encrypted(alice.replace('alice', 'al<!---->ice'))),
  },
  {
    name: 'EncryptedID for another party',
    code: 'SAML_DECRYPTION_FAILED',
    assertion: nameId(encryptElement(alice, 'EncryptedID', { key: 'other' })),
  },
  {
    name: 'white space inside a NameID is part of it',
    code: 'accepted',
    assertion: nameId('<saml:NameID> alice </saml:NameID>'),
    expect: identity => expect(identity.nameId?.value).toBe(' alice '),
  },
  {
    name: 'EncryptedAttribute',
    code: 'SAML_STRUCTURE',
    assertion: xml =>
      xml.replace(/<saml:Attribute .*<\/saml:Attribute>/, encrypted(alice).replaceAll('EncryptedID', 'EncryptedAttribute')),
  },
]);
