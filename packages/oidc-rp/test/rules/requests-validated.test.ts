import { expect, test } from 'vitest';
import type { IncomingRequest, SignInRequest, SignOutRequest } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const op = await FakeOp.start();

test.each([
  ['request.maxAge', { maxAge: 60 }],
  ['request.requireACR', { requireACR: true }],
  ['request.requireAcr', { requireAcr: 'yes', acrValues: ['gold'] }],
  ['request.maxAgeSeconds', { maxAgeSeconds: '60' }],
  ['request.maxAgeSeconds', { maxAgeSeconds: Number.NaN }],
  ['request.maxAgeSeconds', { maxAgeSeconds: 1.5 }],
  ['request.maxAgeSeconds', { maxAgeSeconds: -1 }],
  ['request.scopes', { scopes: 'email' }],
  ['request.acrValues', { acrValues: 'gold' }],
  ['request.acrValues[0]', { acrValues: [1] }],
  ['request.prompt', { prompt: ['login'] }],
  ['request.prompt', { prompt: 'none login' }],
  ['request.loginHint', { loginHint: 7 }],
  ['request.returnTo', { returnTo: '//evil.example' }],
  ['request.returnTo', { returnTo: null }],
  ['request.returnPath', { returnPath: '/' }],
  ['request.redirectUri', { redirectUri: 'javascript:alert(1)' }],
  ['request.redirectUri', { redirectUri: 'http://rp.example/callback' }],
  ['request.resource', { resource: 'not a uri' }],
  ['request.resource', { resource: 'https://api.example/#x' }],
  ['request.extraParameters', { extraParameters: { state: 'mine' } }],
  ['request.extraParameters', { extraParameters: { dpop_jkt: 'mine' } }],
  ['request.extraParameters.hd', { extraParameters: { hd: 7 } }],
  ['request.tokenParameters', { tokenParameters: { code_verifier: 'mine' } }],
])('%s of a sign-in is refused by its path', async (path, request) => {
  const error = await errorOf(op.relyingParty().startSignIn(request as SignInRequest));
  expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', path]);
});

test.each([
  ['request.idTokenHint', { idTokenHint: 7 }],
  ['request.returnPath', { returnPath: '/' }],
  ['request.extraParameters', { extraParameters: { post_logout_redirect_uri: 'https://evil.example' } }],
])('%s of a sign-out is refused by its path', async (path, request) => {
  expect(await errorOf(op.relyingParty().startSignOut(request as SignOutRequest))).toMatchObject({ check: path });
});

test.each([
  ['nothing', undefined, 'request'],
  ['null', null, 'request'],
  ['a number', 7, 'request'],
  ['an object without an address', { method: 'GET' }, 'request.url'],
  ['an object without a method', { url: '/callback' }, 'request.method'],
  ['an address that is no text', { method: 'GET', url: {} }, 'request.url'],
])('%s as the callback is refused with a code', async (_kind, request, path) => {
  const rp = op.relyingParty();
  const { pending } = await rp.startSignIn();
  const error = await errorOf(rp.finishSignIn(request as unknown as IncomingRequest, pending));
  expect([error.code, error.check, error.status]).toEqual(['OIDC_CALLBACK_MALFORMED', path, 400]);
});

test.each([null, undefined, 7, 'x', [], new Uint8Array(3)])(
  'the body %j of a posted callback is refused with a code',
  async body => {
    const rp = op.relyingParty({ responseMode: 'form_post' });
    const { pending } = await rp.startSignIn();
    const request = { method: 'POST', url: '/callback', body } as unknown as IncomingRequest;
    expect((await errorOf(rp.finishSignIn(request, pending))).code).toMatch(/^OIDC_CALLBACK_(MALFORMED|STATE)$/);
  },
);

test.each([
  ['signIn', null],
  ['signIn.identity', { identity: null }],
  ['signIn.identity.subject', { identity: { issuer: op.issuer } }],
  ['signIn.claims', { claims: undefined }],
  ['signIn.claims.sub', { claims: { iss: op.issuer, aud: 'notes' } }],
  ['signIn.claims.auth_time', { claims: { iss: op.issuer, sub: 'sub-1', aud: 'notes', auth_time: 'then' } }],
  [
    'signIn.tokens.refreshToken',
    { tokens: { accessToken: 'a', tokenType: 'Bearer', idToken: 'x', signedIdToken: 'x', refreshToken: 7 } },
  ],
])('%s of a stored sign-in that came back damaged is refused before anything is sent', async (path, changes) => {
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const asked = op.requests.length;
  const error = await errorOf(rp.refresh((changes === null ? null : { ...signIn, ...changes }) as typeof signIn));
  expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', path]);
  expect(op.requests).toHaveLength(asked);
});
