import { expect, test } from 'vitest';
import { frontChannelLogoutHeaders } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const op = await FakeOp.start();
const address = 'https://rp.example/frontchannel';
const read = (query: string, required = true) =>
  op.relyingParty({ frontChannelLogoutSessionRequired: required }).readFrontChannelLogout(`${address}${query}`);

test('identifies the session by issuer and session id, without a cookie', async () => {
  expect(await read('?iss=https%3A%2F%2Fop.example&sid=session-1')).toEqual({
    kind: 'session',
    issuer: op.issuer,
    sid: 'session-1',
  });
});

test.each([
  ['another issuer', '?iss=https://evil.example&sid=session-1', 'OIDC_LOGOUT_ISS'],
  ['the issuer alone', '?iss=https://op.example', 'OIDC_LOGOUT_REQUEST'],
  ['the session alone', '?sid=session-1', 'OIDC_LOGOUT_REQUEST'],
  ['an empty session', '?iss=https://op.example&sid=', 'OIDC_LOGOUT_REQUEST'],
  ['two sessions', '?iss=https://op.example&sid=a&sid=b', 'OIDC_LOGOUT_REQUEST'],
  ['a session id of 1,025 characters', `?iss=https://op.example&sid=${'a'.repeat(1025)}`, 'OIDC_LOGOUT_REQUEST'],
  ['a control character in the session id', '?iss=https://op.example&sid=a%00', 'OIDC_LOGOUT_REQUEST'],
  ['nothing', '', 'OIDC_LOGOUT_REQUEST'],
])('refuses a request with %s', async (_fault, query, code) => {
  expect((await errorOf(read(query))).code).toBe(code);
});

test("if no session need be named, takes none for this browser's session and refuses half a name", async () => {
  expect(await read('', false)).toEqual({ kind: 'browser' });
  expect((await errorOf(read('?sid=session-1', false))).code).toBe('OIDC_LOGOUT_REQUEST');
  expect((await errorOf(read('?iss=https://op.example', false))).code).toBe('OIDC_LOGOUT_REQUEST');
});

test('refuses another method', async () => {
  const request = new Request(address, { method: 'POST', body: new URLSearchParams({ iss: op.issuer, sid: 'session-1' }) });
  expect((await errorOf(op.relyingParty().readFrontChannelLogout(request))).code).toBe('OIDC_LOGOUT_REQUEST');
});

test('does not cache the answer, and lets only the provider frame it', () => {
  expect(frontChannelLogoutHeaders('https://op.example/tenant')).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors https://op.example",
  });
});
