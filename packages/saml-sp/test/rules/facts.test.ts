import { expect } from 'vitest';
import { encryptElement } from '../support/encryptor.ts';
import { validPieces } from '../support/response.ts';
import { rule } from '../support/rule.ts';
import { at, sp } from '../support/world.ts';

const nameId = (text: string) => ({ assertion: (xml: string) => xml.replace(/<saml:NameID .*?<\/saml:NameID>/, text) });
const attribute = (text: string) => ({
  pieces: { attributes: `<saml:AttributeStatement>${text}</saml:AttributeStatement>` },
});
const confirmed = (until: number, recipient: string = sp.acs) =>
  validPieces.confirmation.replace(
    '{confirmationData}',
    validPieces.confirmationData
      .replace(/NotOnOrAfter="[^"]*"/, `NotOnOrAfter="${at(until)}"`)
      .replace(/Recipient="[^"]*"/, `Recipient="${recipient}"`),
  );
const conditions = (until: number) => validPieces.conditions.replace(/NotOnOrAfter="[^"]*"/, `NotOnOrAfter="${at(until)}"`);

rule('reads everything in the assertion into the identity (saml-core-2.0 2.2.3, 2.7.3)', [
  {
    name: 'a NameID with every attribute',
    code: 'accepted',
    ...nameId('<saml:NameID Format="urn:f" NameQualifier="urn:q" SPNameQualifier="urn:s" SPProvidedID="p">alice</saml:NameID>'),
    expect: identity =>
      expect(identity.nameId).toEqual({
        value: 'alice',
        format: 'urn:f',
        nameQualifier: 'urn:q',
        spNameQualifier: 'urn:s',
        spProvidedId: 'p',
      }),
  },
  {
    name: 'a NameID of 1,024 characters',
    code: 'accepted',
    ...nameId(`<saml:NameID>${'😀'.repeat(1024)}</saml:NameID>`),
    expect: identity => expect(identity.nameId?.value).toHaveLength(2048),
  },
  { name: 'a NameID of 1,025 characters', code: 'SAML_SUBJECT', ...nameId(`<saml:NameID>${'a'.repeat(1025)}</saml:NameID>`) },
  {
    name: 'an attribute with text, XML, a format and a friendly name',
    code: 'accepted',
    ...attribute(
      '<saml:Attribute Name="n" NameFormat="urn:nf" FriendlyName="fn"><saml:AttributeValue>one</saml:AttributeValue>' +
        '<saml:AttributeValue><x:a xmlns:x="urn:x">two</x:a></saml:AttributeValue></saml:Attribute>',
    ),
    expect: identity =>
      expect(identity.attributes).toEqual([
        {
          name: 'n',
          nameFormat: 'urn:nf',
          friendlyName: 'fn',
          values: ['one'],
          structuredValues: [
            '<saml:AttributeValue xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><x:a xmlns:x="urn:x">two</x:a></saml:AttributeValue>',
          ],
        },
      ]),
  },
  {
    name: 'it can be used until its conditions end',
    code: 'accepted',
    pieces: { confirmation: confirmed(300), conditions: conditions(100) },
    expect: identity => expect(identity.usableUntil).toEqual(new Date(at(100))),
  },
  {
    name: 'or its latest confirmation, though that is for another address',
    code: 'accepted',
    pieces: { confirmation: confirmed(50) + confirmed(200, 'https://sp.example.org/saml/other'), conditions: conditions(300) },
    expect: identity => expect(identity.usableUntil).toEqual(new Date(at(200))),
  },
  {
    name: 'when it was made, and when the person was asked',
    code: 'accepted',
    pieces: { authn: validPieces.authn.replace(/AuthnInstant="[^"]*"/, `AuthnInstant="${at(-3600)}"`) },
    expect: identity =>
      expect([identity.issuedAt, identity.authentication?.instant]).toEqual([new Date(at(-5)), new Date(at(-3600))]),
  },
]);

rule('does not combine two invalid confirmations into a valid one (saml-profiles-2.0 4.1.4.3)', [
  {
    name: 'one has ended, the other is for another party',
    code: 'SAML_EXPIRED',
    pieces: { confirmation: confirmed(-100) + confirmed(300, 'https://other.example.org/acs') },
  },
  {
    name: 'the other way round: the first one’s fault is told',
    code: 'SAML_RECIPIENT',
    pieces: { confirmation: confirmed(300, 'https://other.example.org/acs') + confirmed(-100) },
  },
]);

rule('refuses a confirmation for another holder, however it is named (saml-core-2.0 2.4.1.1)', [
  {
    name: 'by EncryptedID',
    code: 'SAML_SUBJECT_CONFIRMATION',
    pieces: {
      confirmation: validPieces.confirmation.replace(
        '{confirmationData}',
        encryptElement('<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">mallory</saml:NameID>', 'EncryptedID') +
          validPieces.confirmationData,
      ),
    },
  },
]);
