import { expect, test } from 'vitest';
import type { OidcErrorCode } from '../../src/index.ts';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function refreshWith(changes: Record<string, unknown>) {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  op.faults.idTokenClaims = claims => ({ ...claims, auth_time: Number(claims.iat) - 10 });
  const signIn = await signInAt(op, {}, rp);
  await rp.refresh(signIn);
  op.faults.idTokenClaims = claims => without({ ...claims, auth_time: signIn.claims.auth_time, ...changes });
  return { signIn, outcome: rp.refresh({ ...signIn, tokens: { ...signIn.tokens, refreshToken: 'rt-2' } }) };
}

test.each([
  ['another issuer', { iss: 'https://evil.example' }, 'OIDC_CLAIM_ISS'],
  ['another person', { sub: 'sub-2' }, 'OIDC_REFRESH_IDENTITY'],
  ['another audience', { aud: ['notes', 'other'], azp: 'notes' }, 'OIDC_REFRESH_IDENTITY'],
  ['another time of authentication', { auth_time: 1 }, 'OIDC_REFRESH_IDENTITY'],
  ['another nonce', { nonce: 'x' }, 'OIDC_CLAIM_NONCE'],
  ['no issue time', { iat: undefined }, 'OIDC_CLAIM_IAT'],
  ['an expiry in the past', { exp: 1 }, 'OIDC_TOKEN_EXPIRED'],
  ['the hash of another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'OIDC_CLAIM_AT_HASH'],
] as [string, Record<string, unknown>, OidcErrorCode][])(
  'refuses a refreshed ID Token with %s',
  async (_fault, changes, code) => {
    expect((await errorOf((await refreshWith(changes)).outcome)).code).toBe(code);
  },
);

test('accepts a refreshed ID Token without nonce and authentication time', async () => {
  const { outcome, signIn } = await refreshWith({ auth_time: undefined });
  expect((await outcome).identity).toEqual(signIn.identity);
});

test('keeps the old claims without a new ID Token, and the old refresh token without rotation', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  op.faults.token = ({ id_token: _, refresh_token: __, ...response }) => response;
  const after = await rp.refresh(signIn);
  expect(after.claims).toEqual(signIn.claims);
  expect(after.tokens).toMatchObject({ idToken: signIn.tokens.idToken, refreshToken: signIn.tokens.refreshToken });
  expect(after.tokens.accessToken).not.toBe(signIn.tokens.accessToken);
});

test('refuses a refreshed ID Token by a foreign key', async () => {
  const { keptKey, forge } = await import('../support/forge.ts');
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const stranger = await keptKey('stranger');
  op.faults.idToken = ({ header, claims }) => forge(header, claims, stranger);
  expect((await errorOf(rp.refresh(signIn))).code).toBe('OIDC_JWT_SIGNATURE');
});
