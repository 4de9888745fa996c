import { expect, test } from 'vitest';
import { errorOf, expectLogoutRefused, postLogout } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forge, forgeHmac, keptKey, signingInput } from '../support/forge.ts';

test.each(['at+jwt', 'secevent+jwt', 'id+jwt', 7])('refuses a logout token of type %j', async typ => {
  await expectLogoutRefused('OIDC_JWT_TYPE', {}, { typ });
});

test.each([{}, { typ: 'JWT' }, { typ: 'jwt' }])('accepts a token without a type, or with JWT: %j', async header => {
  const op = await FakeOp.start();
  const token = await op.sign(
    op.claims({ jti: 'a', sid: 's', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
    header,
  );
  expect((await op.relyingParty().answerBackChannelLogout(postLogout(token), () => undefined)).status).toBe(200);
});

test('refuses an unknown key, a bad key id and a critical extension', async () => {
  await expectLogoutRefused('OIDC_KEY_UNKNOWN', {}, { kid: 'invented' });
  await expectLogoutRefused('OIDC_JWT_HEADER', {}, { kid: 7 });
  await expectLogoutRefused('OIDC_JWT_CRITICAL', {}, { crit: ['x'] });
});

test('refuses unsigned, HMAC and foreign tokens, and another serialization', async () => {
  const op = await FakeOp.start();
  const claims = op.claims({ jti: 'a', sid: 's', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } });
  const stranger = await keptKey('stranger');
  const code = async (token: string) => (await errorOf(op.relyingParty().readBackChannelLogout(postLogout(token)))).code;
  expect(await code(`${signingInput({ alg: 'none', typ: 'logout+jwt' }, claims)}.`)).toBe('OIDC_JWT_ALGORITHM');
  expect(await code(await forgeHmac({ alg: 'HS256' }, claims, new TextEncoder().encode(op.secret)))).toBe('OIDC_JWT_ALGORITHM');
  expect(await code(await forge({ alg: 'RS512', kid: 'first' }, claims, op.keys[0]!))).toBe('OIDC_JWT_ALGORITHM');
  expect(await code(await forge({ alg: 'RS256', kid: 'first' }, claims, stranger))).toBe('OIDC_JWT_SIGNATURE');
  expect(await code(`${await op.logoutToken()}=`)).toBe('OIDC_JWT_MALFORMED');
  expect(await code('')).toBe('OIDC_JWT_MALFORMED');
  expect(op.strangers).toEqual([]);
});
