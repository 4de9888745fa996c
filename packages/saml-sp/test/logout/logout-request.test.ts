import { describe, expect, test } from 'vitest';
import type { SamlErrorCode } from '../../src/errors.ts';
import { encryptElement } from '../support/encryptor.ts';
import {
  buildLogout,
  type LogoutRecipe,
  plainLogoutRequest,
  postLogout,
  receive,
  redirectLogout,
  redirectQuery,
} from '../support/logout-fixture.ts';
import { at, createServiceProvider, knownIdp, otherIdp } from '../support/world.ts';

const faults: [string, SamlErrorCode, LogoutRecipe][] = [
  ['another Version', 'SAML_VERSION', { change: xml => xml.replace('Version="2.0"', 'Version="1.1"') }],
  ['expired NotOnOrAfter', 'SAML_LOGOUT_REQUEST', { change: xml => xml.replace(at(120), at(-61)) }],
  [
    'no NotOnOrAfter and issued yesterday',
    'SAML_LOGOUT_REQUEST',
    { change: xml => xml.replace(/ NotOnOrAfter="[^"]*"/, '').replace(at(-5), at(-86_400)) },
  ],
  [
    'a NotOnOrAfter in a year and issued yesterday',
    'SAML_LOGOUT_REQUEST',
    { change: xml => xml.replace(at(120), at(31_536_000)).replace(at(-5), at(-86_400)) },
  ],
  ['issued in the future', 'SAML_ISSUE_INSTANT', { change: xml => xml.replace(at(-5), at(120)) }],
  ['wrong Destination', 'SAML_DESTINATION', { change: xml => xml.replace('/saml/slo"', '/saml/acs"') }],
  ['no Destination', 'SAML_DESTINATION', { change: xml => xml.replace(/ Destination="[^"]*"/, '') }],
  ['unknown issuer', 'SAML_UNKNOWN_IDP', { change: xml => xml.replace('idp.example.edu', 'nobody.example') }],
  [
    'issued by another provider whose key it is not',
    'SAML_SIGNATURE_INVALID',
    { change: xml => xml.replace('https://idp.example.edu/metadata', 'https://other.example.com/metadata') },
  ],
  ['no issuer', 'SAML_ISSUER', { change: xml => xml.replace(/<saml:Issuer>.*<\/saml:Issuer>/, '') }],
  ['names nobody', 'SAML_SCHEMA_INVALID', { change: xml => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '') }],
  ['an empty NameID', 'SAML_SUBJECT', { change: xml => xml.replace('>alice<', '><') }],
  ['signed by the attacker', 'SAML_SIGNATURE_INVALID', { sign: { key: 'attacker' } }],
  ['unsigned', 'SAML_SIGNATURE_MISSING', { sign: false }],
  ['sha1', 'SAML_SIGNATURE_ALGORITHM', { sign: { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } }],
  ['another person after it was signed', 'SAML_SIGNATURE_INVALID', { wire: xml => xml.replace('alice', 'bob') }],
  ['another session after it was signed', 'SAML_SIGNATURE_INVALID', { wire: xml => xml.replace('_session1', '_session2') }],
  ['a comment in NameID', 'SAML_XML_DOCTYPE', { wire: xml => xml.replace('alice', 'al<!---->ice') }],
  ['a DOCTYPE', 'SAML_XML_DOCTYPE', { wire: xml => `<!DOCTYPE a>${xml}` }],
];

describe('LogoutRequest by POST', () => {
  test.each(faults)('%s: %s', async (_name, code, recipe) => {
    expect(await receive(postLogout(buildLogout(plainLogoutRequest, recipe)))).toBe(code);
  });

  test('reads subject and session of a valid one', async () => {
    const received = await receive(postLogout(buildLogout(plainLogoutRequest), 'state of the provider'));
    expect(received).toMatchObject({
      kind: 'request',
      nameId: { value: 'alice' },
      sessionIndexes: ['_session1'],
      requestId: '_lr1',
      issuedAt: new Date(at(-5)),
    });
  });

  test('takes no SessionIndex for all sessions, and several for those', async () => {
    const none = buildLogout(plainLogoutRequest, {
      change: xml => xml.replace(/<samlp:SessionIndex>.*<\/samlp:SessionIndex>/, ''),
    });
    expect(await receive(postLogout(none))).toMatchObject({ sessionIndexes: [] });
    const two = buildLogout(plainLogoutRequest, {
      change: xml => xml.replace('</samlp:SessionIndex>', '</samlp:SessionIndex><samlp:SessionIndex>_b</samlp:SessionIndex>'),
    });
    expect(await receive(postLogout(two))).toMatchObject({ sessionIndexes: ['_session1', '_b'] });
  });

  test('decrypts EncryptedID', async () => {
    const name = '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" NameQualifier="q">alice</saml:NameID>';
    const xml = buildLogout(plainLogoutRequest, {
      change: text => text.replace(/<saml:NameID.*<\/saml:NameID>/, () => encryptElement(name, 'EncryptedID')),
    });
    expect(await receive(postLogout(xml))).toMatchObject({ nameId: { value: 'alice', nameQualifier: 'q' } });
  });

  test('accepts a request again after it was given back', async () => {
    const provider = createServiceProvider();
    const http = postLogout(buildLogout(plainLogoutRequest));
    const first = await receive(http, { provider });
    if (typeof first === 'string' || first.kind !== 'request') throw new Error(String(first));
    await first.giveBack();
    expect(await receive(http, { provider })).toMatchObject({ kind: 'request' });
    expect(await receive(http, { provider })).toBe('SAML_REPLAYED');
  });

  test('refuses the same request twice: SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    const http = postLogout(buildLogout(plainLogoutRequest));
    expect(await receive(http, { provider })).toMatchObject({ kind: 'request' });
    expect(await receive(http, { provider })).toBe('SAML_REPLAYED');
  });

  test('keeps requests of two providers with the same ID apart, however long the ID is', async () => {
    const provider = createServiceProvider();
    const longId = (end: string) => `_${'x'.repeat(200)}${end}`;
    const request = (id: string, entityId: string, key: 'idp' | 'other') =>
      postLogout(
        buildLogout(plainLogoutRequest, {
          change: xml => xml.replace('ID="_lr1"', `ID="${id}"`).replace('https://idp.example.edu/metadata', entityId),
          sign: { key },
        }),
      );
    const ours = 'https://idp.example.edu/metadata';
    expect(await receive(request(longId('a'), otherIdp().entityId, 'other'), { provider })).toMatchObject({ kind: 'request' });
    expect(await receive(request(longId('a'), ours, 'idp'), { provider })).toMatchObject({ kind: 'request' });
    expect(await receive(request(longId('b'), ours, 'idp'), { provider })).toMatchObject({ kind: 'request' });
    expect(await receive(request(longId('b'), ours, 'idp'), { provider })).toBe('SAML_REPLAYED');
  });

  test('lets a provider that is switched off end no session', async () => {
    const provider = createServiceProvider({ identityProviders: [knownIdp({ enabled: false }), otherIdp()] });
    expect(await receive(postLogout(buildLogout(plainLogoutRequest)), { provider })).toBe('SAML_UNKNOWN_IDP');
  });
});

describe('LogoutRequest by Redirect', () => {
  test('signed over the query', async () => {
    expect(await receive(redirectLogout(redirectQuery(plainLogoutRequest)))).toMatchObject({
      kind: 'request',
      nameId: { value: 'alice' },
    });
  });

  test('unsigned, although it carries an XML signature inside', async () => {
    const query = redirectQuery(buildLogout(plainLogoutRequest), { key: false });
    expect(await receive(redirectLogout(query))).toBe('SAML_SIGNATURE_MISSING');
  });

  test("ignores an XML signature inside: the query's counts", async () => {
    const query = redirectQuery(buildLogout(plainLogoutRequest, { sign: { key: 'attacker' } }));
    expect(await receive(redirectLogout(query))).toMatchObject({ kind: 'request' });
  });

  test('signed by the attacker', async () => {
    expect(await receive(redirectLogout(redirectQuery(plainLogoutRequest, { key: 'attacker' })))).toBe('SAML_SIGNATURE_INVALID');
  });

  test('signed by another honest provider', async () => {
    expect(await receive(redirectLogout(redirectQuery(plainLogoutRequest, { key: 'other' })))).toBe('SAML_SIGNATURE_INVALID');
  });
});
