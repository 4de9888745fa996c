import { expect, test } from 'vitest';
import type { OidcErrorCode } from '../../src/index.ts';
import { expectUserInfoRefused, without } from '../support/expect-refused.ts';
import { FakeOp, type Faults } from '../support/fake-op.ts';
import { forge, forgeHmac, keptKey, signingInput } from '../support/forge.ts';

const options = { userInfoAlgorithms: ['RS256'] as const };
const jwt = (token: string) => new Response(token, { headers: { 'content-type': 'application/jwt' } });
const key = await keptKey('first');
const claimsOf = (changes: Record<string, unknown> = {}) =>
  without({ iss: 'https://op.example', aud: 'notes', sub: 'sub-1', name: 'Reader', ...changes });
const honest: Faults = { userInfo: async () => jwt(await forge({ alg: 'RS256', kid: 'first' }, claimsOf(), key)) };
const refused = (code: OidcErrorCode, token: () => Promise<string> | string) =>
  expectUserInfoRefused(code, async () => jwt(await token()), options, honest);

test.each([
  ['another issuer', { iss: 'https://evil.example' }, 'OIDC_CLAIM_ISS'],
  ['no issuer', { iss: undefined }, 'OIDC_CLAIM_ISS'],
  ['another audience', { aud: 'other' }, 'OIDC_CLAIM_AUD'],
  ['no audience', { aud: undefined }, 'OIDC_CLAIM_AUD'],
  ['another person', { sub: 'sub-2' }, 'OIDC_USERINFO_SUB'],
  ['an expiry in the past', { exp: 1 }, 'OIDC_TOKEN_EXPIRED'],
  ['a start in the future', { nbf: 9_999_999_999 }, 'OIDC_CLAIM_NBF'],
] as [string, Record<string, unknown>, OidcErrorCode][])(
  'signed UserInfo with %s is discarded',
  async (_fault, changes, code) => {
    await refused(code, () => forge({ alg: 'RS256', kid: 'first' }, claimsOf(changes), key));
  },
);

test('signed UserInfo by a foreign key is discarded', async () => {
  const stranger = await keptKey('stranger');
  await refused('OIDC_JWT_SIGNATURE', () => forge({ alg: 'RS256', kid: 'first' }, claimsOf(), stranger));
});

test('unsigned tokens, HMAC tokens, other types and critical extensions are discarded', async () => {
  const op = await FakeOp.start();
  await refused('OIDC_JWT_ALGORITHM', () => `${signingInput({ alg: 'none' }, claimsOf())}.`);
  await refused('OIDC_JWT_ALGORITHM', () => forgeHmac({ alg: 'HS256' }, claimsOf(), new TextEncoder().encode(op.secret)));
  await refused('OIDC_JWT_TYPE', () => forge({ alg: 'RS256', kid: 'first', typ: 'at+jwt' }, claimsOf(), key));
  await refused('OIDC_JWT_CRITICAL', () => forge({ alg: 'RS256', kid: 'first', crit: ['b64'], b64: false }, claimsOf(), key));
  await refused('OIDC_JWE_UNEXPECTED', () => 'AAAA.AAAA.AAAA.AAAA.AAAA');
  await refused('OIDC_JWT_MALFORMED', () => '{"payload":"AAAA"}');
  await refused('OIDC_KEY_UNKNOWN', () => forge({ alg: 'RS256', kid: 'invented', jku: 'https://evil.example' }, claimsOf(), key));
});

test('where signing is registered, plain JSON is discarded', async () => {
  const error = await expectUserInfoRefused('OIDC_USERINFO_UNSIGNED', claims => claims, options, honest);
  expect(error.received).toBe('application/json');
});
