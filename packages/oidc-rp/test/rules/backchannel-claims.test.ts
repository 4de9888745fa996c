import { expect, test } from 'vitest';
import type { OidcErrorCode } from '../../src/index.ts';
import { expectLogoutRefused, postLogout } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';
const now = Date.UTC(2027, 0, 1) / 1000;

test.each([
  ['another issuer', { iss: 'https://evil.example' }, 'OIDC_CLAIM_ISS'],
  ['no issuer', { iss: undefined }, 'OIDC_CLAIM_ISS'],
  ['another audience', { aud: 'other' }, 'OIDC_CLAIM_AUD'],
  ['no audience', { aud: undefined }, 'OIDC_CLAIM_AUD'],
  ['no issue time', { iat: undefined }, 'OIDC_CLAIM_IAT'],
  ['an issue time more than three minutes ago', { iat: now - 181 }, 'OIDC_CLAIM_IAT'],
  ['an issue time in the future', { iat: now + 1 }, 'OIDC_CLAIM_IAT'],
  ['no expiry', { exp: undefined }, 'OIDC_CLAIM_EXP'],
  ['an expiry in the past', { exp: now }, 'OIDC_TOKEN_EXPIRED'],
  ['no token id', { jti: undefined }, 'OIDC_CLAIM_JTI'],
  ['an empty token id', { jti: '' }, 'OIDC_CLAIM_JTI'],
  ['a token id that is no text', { jti: 7 }, 'OIDC_CLAIM_JTI'],
  ['no events', { events: undefined }, 'OIDC_CLAIM_EVENTS'],
  ['events that are text', { events: event }, 'OIDC_CLAIM_EVENTS'],
  ['events that are a list', { events: [event] }, 'OIDC_CLAIM_EVENTS'],
  ['another event', { events: { 'http://schemas.openid.net/event/other': {} } }, 'OIDC_CLAIM_EVENTS'],
  ['an event that is no object', { events: { [event]: true } }, 'OIDC_CLAIM_EVENTS'],
  ['an event that is a list', { events: { [event]: [] } }, 'OIDC_CLAIM_EVENTS'],
  ['a nonce', { nonce: 'x' }, 'OIDC_CLAIM_NONCE'],
  ['neither person nor session', { sub: undefined, sid: undefined }, 'OIDC_CLAIM_SID'],
  ['a session that is no text', { sid: 7 }, 'OIDC_CLAIM_SID'],
  ['a person that is no text', { sub: 7 }, 'OIDC_CLAIM_SUB'],
  ['a start in the future', { nbf: now + 60 }, 'OIDC_CLAIM_NBF'],
] as [string, Record<string, unknown>, OidcErrorCode][])('refuses a logout token with %s', async (_fault, claims, code) => {
  await expectLogoutRefused(code, claims);
});

test('refuses a token that names only a person if a session is required', async () => {
  await expectLogoutRefused('OIDC_CLAIM_SID', { sid: undefined }, {}, { backChannelLogoutSessionRequired: true });
});

test('accepts a token that names a session or a person', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  expect(await rp.readBackChannelLogout(postLogout(await op.logoutToken({ sub: undefined })))).toMatchObject({
    issuer: op.issuer,
    subject: undefined,
    sid: 'session-1',
  });
  expect(await rp.readBackChannelLogout(postLogout(await op.logoutToken({ sid: undefined })))).toMatchObject({
    issuer: op.issuer,
    subject: 'sub-1',
    sid: undefined,
  });
});

test('refuses an ID Token as a logout token', async () => {
  await expectLogoutRefused('OIDC_CLAIM_EVENTS', { events: undefined, jti: undefined }, { typ: undefined });
});

test('refuses a logout token as an ID Token', async () => {
  const op = await FakeOp.start();
  const token = await op.logoutToken();
  await expect(op.relyingParty().validateIdToken(token, { nonce: undefined })).rejects.toMatchObject({ code: 'OIDC_JWT_TYPE' });
});
