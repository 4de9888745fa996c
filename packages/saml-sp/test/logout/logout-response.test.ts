import { describe, expect, test } from 'vitest';
import type { SamlErrorCode } from '../../src/errors.ts';
import {
  buildLogout,
  type LogoutRecipe,
  plainLogoutResponse,
  postLogout,
  receive,
  redirectLogout,
  redirectQuery,
} from '../support/logout-fixture.ts';
import { at, createServiceProvider, pendingLogout, secondsAt } from '../support/world.ts';

const status =
  (value: string, inner = '') =>
  (xml: string) =>
    xml.replace(
      /<samlp:StatusCode.*\/>/,
      `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${value}">${inner}</samlp:StatusCode>`,
    );

const faults: [string, SamlErrorCode, LogoutRecipe][] = [
  ['answers another request', 'SAML_IN_RESPONSE_TO', { change: xml => xml.replace('_logout1', '_logout2') }],
  ['answers none', 'SAML_IN_RESPONSE_TO', { change: xml => xml.replace(/ InResponseTo="[^"]*"/, '') }],
  ['wrong Destination', 'SAML_DESTINATION', { change: xml => xml.replace('/saml/slo"', '/saml/acs"') }],
  [
    'another issuer',
    'SAML_ISSUER',
    { change: xml => xml.replace('https://idp.example.edu/metadata', 'https://other.example.com/metadata') },
  ],
  ['unsigned', 'SAML_SIGNATURE_MISSING', { sign: false }],
  ['signed by the attacker', 'SAML_SIGNATURE_INVALID', { sign: { key: 'attacker' } }],
  ['from the future', 'SAML_ISSUE_INSTANT', { change: xml => xml.replace(at(-5), at(120)) }],
  ['no Status', 'SAML_SCHEMA_INVALID', { change: xml => xml.replace(/<samlp:Status>.*<\/samlp:Status>/, '') }],
];

describe('LogoutResponse', () => {
  test.each(faults)('%s: %s', async (_name, code, recipe) => {
    expect(await receive(postLogout(buildLogout(plainLogoutResponse, recipe), pendingLogout.relayState))).toBe(code);
  });

  test('Success is complete', async () => {
    expect(await receive(postLogout(buildLogout(plainLogoutResponse), pendingLogout.relayState))).toMatchObject({
      kind: 'response',
      outcome: 'complete',
    });
    expect(
      await receive(redirectLogout(redirectQuery(plainLogoutResponse, { relayState: pendingLogout.relayState }))),
    ).toMatchObject({ outcome: 'complete' });
  });

  test.each([
    ['Responder', ''],
    ['Requester', ''],
    ['Success', '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:PartialLogout"/>'],
  ])('%s %s is half-done', async (value, inner) => {
    const xml = buildLogout(plainLogoutResponse, { change: status(value, inner) });
    expect(await receive(postLogout(xml, pendingLogout.relayState))).toMatchObject({ outcome: 'half-done' });
  });

  test('nobody asked', async () => {
    expect(await receive(postLogout(buildLogout(plainLogoutResponse)), { pending: undefined })).toBe('SAML_UNSOLICITED');
  });

  test('too late', async () => {
    expect(
      await receive(postLogout(buildLogout(plainLogoutResponse)), { pending: { ...pendingLogout, expiresAt: secondsAt(-1) } }),
    ).toBe('SAML_REQUEST_EXPIRED');
  });

  test('another RelayState', async () => {
    expect(await receive(postLogout(buildLogout(plainLogoutResponse), 'other'))).toBe('SAML_RELAY_STATE');
  });

  test('refuses the same answer twice: SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    const http = postLogout(buildLogout(plainLogoutResponse), pendingLogout.relayState);
    expect(await receive(http, { provider })).toMatchObject({ outcome: 'complete' });
    expect(await receive(http, { provider })).toBe('SAML_REPLAYED');
  });
});
