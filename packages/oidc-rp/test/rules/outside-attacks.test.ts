import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  errorOf,
  expectClaimsRefused,
  expectHeaderRefused,
  expectLogoutRefused,
  expectRefused,
  signInAt,
} from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// What lists of attacks elsewhere hold and the rules here did not name one by one.

const milliseconds = Date.UTC(2027, 0, 1);

test.each([
  ['an audience within a list', { aud: [['notes']] }, 'OIDC_CLAIM_AUD'],
  ['an audience with a blank behind it', { aud: 'notes ' }, 'OIDC_CLAIM_AUD'],
  ['an audience in another case', { aud: 'Notes' }, 'OIDC_CLAIM_AUD'],
  ['an authorized party that is a list', { azp: ['notes'] }, 'OIDC_CLAIM_AZP'],
  ['an authorized party that is empty', { azp: '' }, 'OIDC_CLAIM_AZP'],
  ['an authorized party that is null', { azp: null }, 'OIDC_CLAIM_AZP'],
  ['an issue time in milliseconds', { iat: milliseconds }, 'OIDC_CLAIM_IAT'],
  ['a time of authentication in milliseconds', { auth_time: milliseconds }, 'OIDC_CLAIM_AUTH_TIME'],
  ['an end as text in a list', { exp: ['9999999999'] }, 'OIDC_CLAIM_EXP'],
  ['an issuer with a fragment', { iss: 'https://op.example#x' }, 'OIDC_CLAIM_ISS'],
  ['an issuer with a port', { iss: 'https://op.example:443' }, 'OIDC_CLAIM_ISS'],
  ['an issuer with a user', { iss: 'https://op.example@evil.example' }, 'OIDC_CLAIM_ISS'],
  ['a subject that is a list', { sub: ['sub-1'] }, 'OIDC_CLAIM_SUB'],
] as const)('refuses %s', async (_name, claims, code) => {
  await expectClaimsRefused(code, claims as never);
});

test('accepts our client id twice in the audience', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => ({ ...claims, aud: ['notes', 'notes'] });
  expect((await signInAt(op)).identity.subject).toBe('sub-1');
  op.faults.idTokenClaims = claims => ({ ...claims, aud: ['notes', 'notes', 'other'] });
  expect((await errorOf(signInAt(op))).code).toBe('OIDC_CLAIM_AZP');
});

const sha256 = createHash('sha256');

test.each([
  ['the whole hash instead of its first half', (token: string) => sha256.copy().update(token).digest('base64url')],
  ['with padding', (token: string) => `${sha256.copy().update(token).digest().subarray(0, 16).toString('base64url')}==`],
  ['of a longer hash', (token: string) => createHash('sha512').update(token).digest().subarray(0, 32).toString('base64url')],
  ['in hexadecimal digits', (token: string) => sha256.copy().update(token).digest().subarray(0, 16).toString('hex')],
] as const)('refuses an access token hash that is %s', async (_name, hash) => {
  const op = await FakeOp.start();
  let accessToken = '';
  op.faults.token = response => {
    accessToken = String(response.access_token);
    return response;
  };
  await signInAt(op);
  op.faults.idTokenClaims = claims => ({ ...claims, at_hash: hash(accessToken) });
  op.faults.token = response => ({ ...response, access_token: accessToken });
  expect((await errorOf(signInAt(op))).code).toBe('OIDC_CLAIM_AT_HASH');
});

test.each([
  ['a blank behind it', 'RS256 '],
  ['a letter that looks alike', 'ЯS256'],
  ['a NUL behind it', 'RS256\0'],
])('refuses an algorithm with %s', async (_name, alg) => {
  await expectHeaderRefused('OIDC_JWT_ALGORITHM', { alg });
});

test('a duplicate claim is refused when one of both is written with escapes', async () => {
  for (const name of ['\\u0073ub', 's\\u0075b', '\\u0061ud', 'ex\\u0070']) {
    await expectRefused('OIDC_JSON_DUPLICATE_MEMBER', {
      idTokenClaims: claims => JSON.stringify(claims).replace('{', `{"${name}":"admin",`),
    });
  }
});

test('a nonce in a logout token is refused even when it is null', async () => {
  await expectLogoutRefused('OIDC_CLAIM_NONCE', { nonce: null });
});

test.each([
  ['the state once more, escaped', (query: string, state: string) => `${query}&st%61te=${state}`],
  ['the code once more, escaped', (query: string) => `${query}&%63ode=other`],
  ['the issuer once more, escaped', (query: string) => `${query}&i%73s=https%3A%2F%2Fevil.example`],
])('a callback that holds %s is refused as a duplicate', async (_name, change) => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const callback = new URL(op.authorize(url));
  const hostile = `${callback.origin}${callback.pathname}?${change(callback.search.slice(1), pending.state)}`;
  expect((await errorOf(rp.finishSignIn(hostile, pending))).code).toBe('OIDC_CALLBACK_DUPLICATE');
});

test('names that only resemble a parameter are none: code[], CODE and a semicolon', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const callback = new URL(op.authorize(url));
  const more = `${callback.href}&code[]=evil&CODE=evil&x=1;code=evil`;
  expect((await rp.finishSignIn(more, pending)).identity.subject).toBe('sub-1');
});

test('an answer of one provider, brought into the sign-in at another, redeems nothing there', async () => {
  const [honest, evil] = [await FakeOp.start(), await FakeOp.start()];
  evil.issuer = 'https://evil.example';
  const rp = honest.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const callback = new URL(honest.authorize(url));
  const atEvil = evil.relyingParty();
  expect((await errorOf(atEvil.finishSignIn(callback.href, pending))).code).toBe('OIDC_CALLBACK_ISS');
  expect(evil.asked('/token')).toBe(0);
  callback.searchParams.set('iss', evil.issuer);
  expect((await errorOf(rp.finishSignIn(callback.href, pending))).code).toBe('OIDC_CALLBACK_ISS');
  expect(honest.asked('/token')).toBe(0);
});
