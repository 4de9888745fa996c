import { expect, test } from 'vitest';
import type { OidcErrorCode, RelyingPartyOptions } from '../../src/index.ts';
import { errorOf, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forge, keptKey, signingInput } from '../support/forge.ts';

async function answering(
  changes: Record<string, unknown>,
  header: Record<string, unknown> = {},
  options: Partial<RelyingPartyOptions> = {},
) {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ responseMode: 'query.jwt', ...options });
  const { url, pending } = await rp.startSignIn();
  const honest = new URL(op.authorize(url)).searchParams;
  const claims = { ...Object.fromEntries(honest), iss: op.issuer, aud: 'notes', exp: Math.floor(op.now) + 60 };
  const token = await op.sign(without({ ...claims, ...changes }), header);
  return { op, rp, url, pending, token, claims };
}

test('a signed response signs a person in, from the address or from a form', async () => {
  const { rp, url, pending, token } = await answering({});
  expect(url.searchParams.get('response_mode')).toBe('query.jwt');
  expect((await rp.finishSignIn(`https://rp.example/callback?response=${token}`, pending)).identity.subject).toBe('sub-1');
  const form = await answering({}, {}, { responseMode: 'form_post.jwt' });
  const request = { method: 'POST', url: '/callback', body: `response=${form.token}` };
  expect((await form.rp.finishSignIn(request, form.pending)).identity.subject).toBe('sub-1');
});

test.each([
  ['another issuer', { iss: 'https://evil.example' }, {}, 'OIDC_CLAIM_ISS'],
  ['another client', { aud: 'other' }, {}, 'OIDC_CLAIM_AUD'],
  ['no audience', { aud: undefined }, {}, 'OIDC_CLAIM_AUD'],
  ['an end that has passed', { exp: 1 }, {}, 'OIDC_TOKEN_EXPIRED'],
  ['no end', { exp: undefined }, {}, 'OIDC_CLAIM_EXP'],
  ['a beginning to come', { nbf: 9_999_999_999 }, {}, 'OIDC_CLAIM_NBF'],
  ['another state', { state: 'x' }, {}, 'OIDC_CALLBACK_STATE'],
  ['no code', { code: undefined }, {}, 'OIDC_CALLBACK_CODE'],
  ['a code that is no text', { code: 7 }, {}, 'OIDC_CALLBACK_MALFORMED'],
  ['a code and an error', { error: 'access_denied' }, {}, 'OIDC_CALLBACK_MALFORMED'],
  ['another type', {}, { typ: 'at+jwt' }, 'OIDC_JWT_TYPE'],
  ['another algorithm', {}, { alg: 'RS512' }, 'OIDC_JWT_ALGORITHM'],
  ['an unknown key', {}, { kid: 'x' }, 'OIDC_KEY_UNKNOWN'],
] as [string, Record<string, unknown>, Record<string, unknown>, OidcErrorCode][])(
  'a signed response with %s is refused',
  async (_fault, changes, header, code) => {
    const { rp, pending, token } = await answering(changes, header);
    expect((await errorOf(rp.finishSignIn(`https://rp.example/callback?response=${token}`, pending))).code).toBe(code);
  },
);

test('a plain answer, one beside the signed one, an unsigned and a foreign one are refused', async () => {
  const { op, rp, pending, token, claims } = await answering({});
  const outcome = async (query: string) => (await errorOf(rp.finishSignIn(`https://rp.example/callback?${query}`, pending))).code;
  expect(await outcome(`code=x&state=${pending.state}&iss=${op.issuer}`)).toBe('OIDC_CALLBACK_MALFORMED');
  expect(await outcome(`response=${token}&state=${pending.state}`)).toBe('OIDC_CALLBACK_MALFORMED');
  expect(await outcome(`response=${signingInput({ alg: 'none' }, claims)}.`)).toBe('OIDC_JWT_ALGORITHM');
  const stranger = await keptKey('stranger');
  expect(await outcome(`response=${await forge({ alg: 'RS256', kid: 'first' }, claims, stranger)}`)).toBe('OIDC_JWT_SIGNATURE');
});

test('an error in a signed response is told, and a signed response is refused where none was asked for', async () => {
  const { rp, pending, token } = await answering({ code: undefined, error: 'access_denied', error_description: 'No' });
  const error = await errorOf(rp.finishSignIn(`https://rp.example/callback?response=${token}`, pending));
  expect([error.code, error.providerError, error.providerDescription]).toEqual(['OIDC_PROVIDER_ERROR', 'access_denied', 'No']);
  const plain = await answering({}, {}, { responseMode: 'query' });
  expect((await errorOf(plain.rp.finishSignIn(`https://rp.example/callback?response=${plain.token}`, plain.pending))).code).toBe(
    'OIDC_CALLBACK_STATE',
  );
});

test('the algorithms are those registered for responses, not those of ID Tokens', async () => {
  const { rp, pending, token } = await answering({}, {}, { authorizationResponseAlgorithms: ['ES256'] });
  expect((await errorOf(rp.finishSignIn(`https://rp.example/callback?response=${token}`, pending))).code).toBe(
    'OIDC_JWT_ALGORITHM',
  );
  const op = await FakeOp.start();
  expect(() => op.relyingParty({ responseMode: 'query.jwt', idTokenAlgorithms: ['HS256'] })).toThrow(
    expect.objectContaining({ check: 'options.authorizationResponseAlgorithms' }),
  );
});
