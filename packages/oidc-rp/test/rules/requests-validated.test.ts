import { decodeJwt, generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import type { IncomingRequest, ProviderMetadata, SignInRequest, SignOutRequest } from '../../src/index.ts';
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
])('refuses %s of a sign-in by its path', async (path, request) => {
  const error = await errorOf(op.relyingParty().startSignIn(request as SignInRequest));
  expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', path]);
});

test.each([
  ['request.idTokenHint', { idTokenHint: 7 }],
  ['request.returnPath', { returnPath: '/' }],
  ['request.extraParameters', { extraParameters: { post_logout_redirect_uri: 'https://evil.example' } }],
])('refuses %s of a sign-out by its path', async (path, request) => {
  expect(await errorOf(op.relyingParty().startSignOut(request as SignOutRequest))).toMatchObject({ check: path });
});

test.each([
  ['nothing', undefined, 'request'],
  ['null', null, 'request'],
  ['a number', 7, 'request'],
  ['an object without an address', { method: 'GET' }, 'request.url'],
  ['an object without a method', { url: '/callback' }, 'request.method'],
  ['an address that is not text', { method: 'GET', url: {} }, 'request.url'],
])('refuses %s as the callback with a code', async (_kind, request, path) => {
  const rp = op.relyingParty();
  const { pending } = await rp.startSignIn();
  const error = await errorOf(rp.finishSignIn(request as unknown as IncomingRequest, pending));
  expect([error.code, error.check, error.status]).toEqual(['OIDC_CALLBACK_MALFORMED', path, 400]);
});

test.each([null, undefined, 7, 'x', [], new Uint8Array(3)])(
  'refuses the body %j of a posted callback with a code',
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
])('refuses a damaged %s of a stored sign-in before sending anything', async (path, changes) => {
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const asked = op.requests.length;
  const error = await errorOf(rp.refresh((changes === null ? null : { ...signIn, ...changes }) as typeof signIn));
  expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', path]);
  expect(op.requests).toHaveLength(asked);
});

test.each([
  ['expectations', undefined],
  ['expectations', null],
  ['expectations.nonc', { nonc: { value: 'x', when: 'always' } }],
  ['expectations.nonce', { nonce: 'x' }],
  ['expectations.nonce', { nonce: null }],
  ['expectations.nonce.value', { nonce: { value: 1, when: 'always' } }],
  ['expectations.nonce.when', { nonce: { value: 'x', when: 'sometimes' } }],
  ['expectations.maxAgeSeconds', { nonce: undefined, maxAgeSeconds: '60' }],
  ['expectations.startedAt', { nonce: undefined, startedAt: Number.NaN }],
  ['expectations.acrValues', { nonce: undefined, acrValues: 'gold' }],
  ['expectations.accessToken', { nonce: undefined, accessToken: 5 }],
  ['expectations.code', { nonce: undefined, code: 5 }],
])('refuses invalid %s for an ID Token by its path and skips no check', async (path, expectations) => {
  const error = await errorOf(op.relyingParty().validateIdToken(await op.sign(op.claims()), expectations as never));
  expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', path]);
});

test('checks an ID Token that came another way against the expectations', async () => {
  const rp = op.relyingParty();
  const token = await op.sign(op.claims({ nonce: 'mine', acr: 'gold', auth_time: op.now - 60 }));
  const expectations = { nonce: { value: 'mine', when: 'always' as const }, acrValues: ['gold'], maxAgeSeconds: 60 };
  expect((await rp.validateIdToken(token, { ...expectations, startedAt: op.now })).sub).toBe('sub-1');
  const late = await errorOf(rp.validateIdToken(token, { ...expectations, startedAt: op.now + 1 }));
  expect(late.code).toBe('OIDC_CLAIM_AUTH_TIME');
});

const party = () =>
  op.relyingParty({
    metadata: {
      ...op.metadata(),
      jwks_uri: `${op.issuer}/jwks`,
      introspection_endpoint: `${op.issuer}/introspect`,
    } as unknown as ProviderMetadata,
  });

test.each([
  ['signIn.identity.subject', undefined],
  ['signIn.identity.subject', { tokens: { accessToken: 'a' } }],
  ['signIn.tokens.accessToken', { identity: { subject: 'sub-1' } }],
  ['signIn.tokens.accessToken', { identity: { subject: 'sub-1' }, tokens: { accessToken: '' } }],
  ['signIn.tokens.accessToken', { identity: { subject: 'sub-1' }, tokens: { accessToken: 'a\r\nx-evil: b' } }],
  ['signIn.tokens.accessToken', { identity: { subject: 'sub-1' }, tokens: { accessToken: 7 } }],
])('refuses %s for UserInfo before sending anything', async (path, signIn) => {
  const asked = op.requests.length;
  const error = await errorOf(party().fetchUserInfo(signIn as never));
  expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', path]);
  expect(op.requests).toHaveLength(asked);
});

test.each([
  ['request.token', undefined, 'access_token'],
  ['request.token', '', 'access_token'],
  ['request.token', 7, 'access_token'],
  ['request.hint', 'a', 'id_token'],
])('refuses %s of a revocation or introspection before sending anything', async (path, token, hint) => {
  const asked = op.requests.length;
  const rp = party();
  for (const work of [rp.revoke(token as never, hint as never), rp.introspect(token as never, hint as never)])
    expect(await errorOf(work)).toMatchObject({ code: 'OIDC_CONFIG_INVALID', check: path });
  expect(op.requests).toHaveLength(asked);
});

test.each([undefined, null, 'RS256', []])('refuses the header %j with a code', async header => {
  expect(await errorOf(party().findPublishedKeys(header as never))).toMatchObject({ code: 'OIDC_JWT_HEADER', check: 'header' });
});

test('refuses a DPoP proof without a URL object', async () => {
  const rp = op.relyingParty({ dpop: { algorithm: 'ES256', ...(await generateKeyPair('ES256')) } });
  const good = { method: 'GET', url: new URL('https://api.example/x'), accessToken: 'a' };
  expect(decodeJwt(await rp.createDpopProof(good)).htu).toBe('https://api.example/x');
  for (const [path, request] of [
    ['request', null],
    ['request.method', { ...good, method: 7 }],
    ['request.url', { ...good, url: 'https://api.example/x' }],
    ['request.accessToken', { ...good, accessToken: '' }],
    ['request.nonce', { ...good, nonce: 7 }],
    ['request.target', { ...good, target: 'x' }],
  ] as const)
    expect(() => rp.createDpopProof(request as never)).toThrow(
      expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check: path }),
    );
});
