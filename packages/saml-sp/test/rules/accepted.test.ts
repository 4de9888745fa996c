import { expect } from 'vitest';
import { attributeValues } from '../../src/assertion/attributes.ts';
import { rule } from '../support/rule.ts';
import { at, idp } from '../support/world.ts';

const isAlice = (identity: { issuer: string; nameId?: { value: string } | undefined }) => {
  expect(identity.issuer).toBe(idp.entityId);
  expect(identity.nameId?.value).toBe('alice');
};

rule('accepts what an honest provider sends', [
  {
    name: 'both signed',
    code: 'accepted',
    expect: identity => {
      isAlice(identity);
      expect(identity.inResponseTo).toBe('_request1');
      expect(identity.authentication).toMatchObject({ sessionIndex: '_session1', instant: new Date(at(-10)) });
      expect(attributeValues(identity.attributes, 'urn:oid:0.9.2342.19200300.100.1.3')).toEqual(['alice@example.edu']);
      expect(identity.assertionXml).toContain('<ds:SignatureValue>');
    },
  },
  { name: 'only the assertion signed', code: 'accepted', sign: 'assertion', expect: isAlice },
  { name: 'only the Response signed', code: 'accepted', sign: 'response', expect: isAlice },
  {
    name: 'an XML declaration',
    code: 'accepted',
    wire: xml => `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`,
    expect: isAlice,
  },
  {
    name: 'the standalone="no" that Java writes says nothing without a DTD',
    code: 'accepted',
    wire: xml => `<?xml version="1.0" encoding="UTF-8" standalone="no"?>${xml}`,
    expect: isAlice,
  },
  {
    name: 'Extensions with something unknown in it',
    code: 'accepted',
    pieces: { extensions: '<samlp:Extensions><x:a xmlns:x="urn:x">1</x:a></samlp:Extensions>' },
    expect: isAlice,
  },
  { name: 'milliseconds in every instant', code: 'accepted', assertion: xml => xml.replaceAll('Z"', '.123Z"'), expect: isAlice },
  {
    name: 'seven digits of a second, as .NET writes them',
    code: 'accepted',
    assertion: xml => xml.replaceAll('Z"', '.1234567Z"'),
    expect: isAlice,
  },
  {
    name: 'an attribute without NameFormat',
    code: 'accepted',
    assertion: xml => xml.replace(' FriendlyName="mail"', ''),
    expect: identity => expect(identity.attributes[0]).toMatchObject({ nameFormat: undefined, friendlyName: undefined }),
  },
  {
    name: 'values typed as xs:string',
    code: 'accepted',
    assertion: xml =>
      xml.replace(
        '<saml:AttributeValue>',
        '<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">',
      ),
    expect: identity => expect(identity.attributes[0]?.values).toEqual(['alice@example.edu']),
  },
  {
    name: 'a NameID of 256 characters of every kind',
    code: 'accepted',
    assertion: xml => xml.replace('>alice<', `>${'aÅ中😀'.repeat(64)}<`),
    expect: identity => expect(identity.nameId?.value).toBe('aÅ中😀'.repeat(64)),
  },
  {
    name: 'no NameID at all: the subject may be named by an attribute',
    code: 'accepted',
    assertion: xml => xml.replace(/<saml:NameID.*<\/saml:NameID>/, ''),
    expect: identity => expect(identity.nameId).toBeUndefined(),
  },
  {
    name: 'several attributes of one name and unknown ones',
    code: 'accepted',
    assertion: xml =>
      xml.replace(
        '</saml:AttributeStatement>',
        '<saml:Attribute Name="g" NameFormat="urn:any"><saml:AttributeValue>a</saml:AttributeValue><saml:AttributeValue>b</saml:AttributeValue></saml:Attribute><saml:Attribute Name="empty"/></saml:AttributeStatement>',
      ),
    expect: identity => expect(attributeValues(identity.attributes, 'g')).toEqual(['a', 'b']),
  },
  {
    name: 'a value that is XML is kept as XML, never as text',
    code: 'accepted',
    assertion: xml => xml.replace('alice@example.edu', '<saml:NameID>opaque</saml:NameID>'),
    expect: identity => {
      expect(identity.attributes[0]?.values).toEqual([]);
      expect(identity.attributes[0]?.structuredValues[0]).toContain('opaque');
    },
  },
  {
    name: 'text that looks like the ID: the library has to search for the element itself',
    code: 'accepted',
    assertion: xml => xml.replace('alice@example.edu', 'ID="_assertion1" ID="_response1"'),
    expect: identity => expect(identity.attributes[0]?.values).toEqual(['ID="_assertion1" ID="_response1"']),
  },
  {
    name: 'another element whose attribute ends like an ID with that value',
    code: 'accepted',
    assertion: xml => xml.replace('<saml:AttributeValue>', '<saml:AttributeValue xmlns:x="urn:x" x:REQUESTID="_assertion1">'),
  },
]);
