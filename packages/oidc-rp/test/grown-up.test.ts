import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RelyingParty, type RelyingPartyOptions } from '../src/index.ts';
import { errorOf } from './support/expect-refused.ts';
import { PersonAtBrowser } from './support/person-at-browser.ts';
import { type RealOp, startRealOp } from './support/real-op.ts';

// Against a certified provider (npm `oidc-provider`), over HTTP: what the FAPI 2.0 Security Profile and its neighbors add.
const redirectUri = 'https://rp.example/callback';
const resource = 'https://api.example/';
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const secretOf = (id: string) => ({ method: 'client_secret_basic', secret: `secret of ${id}` }) as const;

let op: RealOp;
let proofKey: CryptoKey;

beforeAll(async () => {
  const proof = await generateKeyPair('ES256', { extractable: true });
  proofKey = proof.privateKey;
  const jwks = { keys: [{ ...(await exportJWK(proof.publicKey)), alg: 'ES256', use: 'sig', kid: 'proof' }] };
  const code = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], redirect_uris: [redirectUri] };
  const keyed = { ...code, token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'ES256', jwks };
  const bare = { redirect_uris: [], response_types: [] };
  const clients = [
    {
      ...keyed,
      client_id: 'bank',
      id_token_signed_response_alg: 'ES256',
      dpop_bound_access_tokens: true,
      require_pushed_authorization_requests: true,
    },
    {
      ...keyed,
      client_id: 'signed',
      id_token_signed_response_alg: 'ES256',
      authorization_signed_response_alg: 'ES256',
    },
    { ...bare, client_id: 'machine', client_secret: 'secret of machine', grant_types: ['client_credentials', exchange] },
    {
      ...bare,
      client_id: 'television',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    },
  ];
  op = await startRealOp(clients, {
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
      jwtResponseModes: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'read write', accessTokenFormat: 'opaque' }),
        useGrantedResource: () => true,
      },
    },
  });
});

afterAll(() => op[Symbol.asyncDispose]());

function client(
  changes: Partial<RelyingPartyOptions> & Pick<RelyingPartyOptions, 'clientId' | 'clientAuthentication'>,
): RelyingParty {
  return new RelyingParty({
    issuer: op.issuer,
    redirectUri,
    dangerouslyAllowLoopbackHttp: true,
    clockToleranceSeconds: 2,
    ...changes,
  });
}

const keyed = (clientId: string) =>
  ({ clientId, clientAuthentication: { method: 'private_key_jwt', key: proofKey, algorithm: 'ES256', keyId: 'proof' } }) as const;

async function signedIn(rp: RelyingParty, request = {}) {
  const { url, pending } = await rp.startSignIn(request);
  const address = await new PersonAtBrowser().signIn(url, 'reader', redirectUri);
  return { url, signIn: await rp.finishSignIn(address, JSON.parse(JSON.stringify(pending))) };
}

test('FAPI 2.0: pushed request, private_key_jwt, DPoP-bound tokens, a server nonce', async () => {
  const dpop = { algorithm: 'ES256', ...(await generateKeyPair('ES256')) } as const;
  const rp = client({
    ...keyed('bank'),
    idTokenAlgorithms: ['ES256'],
    securityProfile: 'fapi2',
    dpop,
    scopes: ['email', 'offline_access'],
  });
  const { url, signIn } = await signedIn(rp);
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
  expect(signIn.identity).toEqual({ issuer: op.issuer, subject: 'reader' });
  expect(signIn.tokens.tokenType).toBe('DPoP');
  expect((await rp.fetchUserInfo(signIn)).email).toBe('reader@example.org');
  const renewed = await rp.refresh(signIn);
  expect(renewed.tokens.accessToken).not.toBe(signIn.tokens.accessToken);

  // The token without its key is worth nothing.
  const { userinfo_endpoint: endpoint } = await rp.metadata();
  for (const scheme of ['Bearer', 'DPoP']) {
    const answer = await fetch(endpoint!, { headers: { authorization: `${scheme} ${renewed.tokens.accessToken}` } });
    expect(answer.ok).toBe(false);
  }
  await rp.revoke(renewed.tokens.refreshToken!, 'refresh_token');
  expect((await errorOf(rp.refresh(renewed))).code).toBe('OIDC_REFRESH_REFUSED');
});

test('refuses a code bound to another key', async () => {
  const pair = async () => ({ algorithm: 'ES256', ...(await generateKeyPair('ES256')) }) as const;
  const options = { ...keyed('bank'), idTokenAlgorithms: ['ES256'], securityProfile: 'fapi2' } as const;
  const { url, pending } = await client({ ...options, dpop: await pair() }).startSignIn();
  const address = await new PersonAtBrowser().signIn(url, 'reader', redirectUri);
  const thief = client({ ...options, dpop: await pair() });
  expect(await errorOf(thief.finishSignIn(address, pending))).toMatchObject({ code: 'OIDC_TOKEN_ERROR' });
});

test('a client that must push its requests cannot send them through the browser', async () => {
  const { url } = await client({ ...keyed('bank'), idTokenAlgorithms: ['ES256'] }).startSignIn();
  const address = await new PersonAtBrowser().signIn(url, 'reader', redirectUri).catch(error => String(error));
  expect(address).toMatch(/error=invalid_request|Pushed Authorization Request/);
});

test('JARM: reads a signed authorization response', async () => {
  const rp = client({ ...keyed('signed'), idTokenAlgorithms: ['ES256'], responseMode: 'query.jwt' });
  const { url, pending } = await rp.startSignIn();
  const address = await new PersonAtBrowser().signIn(url, 'reader', redirectUri);
  expect([...new URL(address).searchParams.keys()]).toEqual(['response']);
  const forged = address.replace(/[^.]{8}$/, 'AAAAAAAA');
  expect((await errorOf(rp.finishSignIn(forged, pending))).code).toBe('OIDC_JWT_SIGNATURE');
  expect((await rp.finishSignIn(address, pending)).identity.subject).toBe('reader');
});

test('client credentials, introspection and revocation', async () => {
  const rp = client({ clientId: 'machine', clientAuthentication: secretOf('machine') });
  const { accessToken } = await rp.requestClientCredentials({ scopes: ['read'], resource });
  expect(await rp.introspect(accessToken, 'access_token')).toMatchObject({ active: true, client_id: 'machine', scope: 'read' });
  await rp.revoke(accessToken, 'access_token');
  expect(await rp.introspect(accessToken)).toEqual({ active: false });
  const wrong = client({ clientId: 'machine', clientAuthentication: { method: 'client_secret_basic', secret: 'wrong' } });
  expect(await errorOf(wrong.requestClientCredentials())).toMatchObject({ providerError: 'invalid_client' });
});

test('token exchange', async () => {
  const rp = client({ clientId: 'machine', clientAuthentication: secretOf('machine') });
  const { accessToken } = await rp.requestClientCredentials({ scopes: ['read', 'write'], resource });
  const request = { subjectToken: accessToken, subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token' };
  const exchanged = await rp.exchangeToken({ ...request, scopes: ['read'], resource });
  expect(exchanged).toMatchObject({ tokenType: 'Bearer', issuedTokenType: request.subjectTokenType });
  expect(await rp.introspect(exchanged.accessToken)).toMatchObject({ active: true, scope: 'read' });
  expect(await errorOf(rp.exchangeToken({ ...request, subjectToken: 'invented' }))).toMatchObject({
    providerError: 'invalid_request',
  });
});

test('device flow: a person enters the code in a browser and the device signs in', async () => {
  const rp = client({ clientId: 'television', clientAuthentication: { method: 'none' }, scopes: ['email'] });
  const started = await rp.startDeviceSignIn();
  expect(started.userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
  const pending = { ...started.pending, intervalSeconds: 1 };
  const outcome = rp.finishDeviceSignIn(pending);
  await new PersonAtBrowser().enterCode(new URL(started.verificationUriComplete!), 'reader');
  expect((await outcome).identity).toEqual({ issuer: op.issuer, subject: 'reader' });
  expect((await errorOf(rp.finishDeviceSignIn(pending))).code).toMatch(/^OIDC_(TOKEN_ERROR|DEVICE_EXPIRED)$/);
});
