import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BackChannelLogout, endsSession, RelyingParty, type RelyingPartyOptions } from '../src/index.ts';
import { errorOf } from './support/expect-refused.ts';
import { serve, type TestServer } from './support/http-server.ts';
import { PersonAtBrowser } from './support/person-at-browser.ts';
import { type RealOp, startRealOp } from './support/real-op.ts';

const redirectUri = 'https://rp.example/callback';
const postLogoutRedirectUri = 'https://rp.example/signed-out';
const scopes = ['openid', 'email', 'offline_access'];
const code = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
const ended: BackChannelLogout[] = [];

let op: RealOp;
let endpoint: TestServer;
let relyingParty: RelyingParty;
let proofKey: CryptoKey;
let decryptionKey: CryptoKey;

beforeAll(async () => {
  // The provider's server calls this one: a back channel over HTTP.
  endpoint = await serve(async (request, response) => {
    const chunks = await request.toArray();
    const incoming = {
      method: request.method!,
      url: request.url!,
      contentType: request.headers['content-type'],
      body: Buffer.concat(chunks).toString(),
    };
    const answer = await relyingParty.answerBackChannelLogout(incoming, logout => void ended.push(logout));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  op = await startRealOp(await clients());
});

afterAll(async () => {
  await op[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

async function clients(): Promise<object[]> {
  const proof = await generateKeyPair('ES256', { extractable: true });
  const encryption = await generateKeyPair('RSA-OAEP-256', { extractable: true });
  proofKey = proof.privateKey;
  decryptionKey = encryption.privateKey;
  const base = { ...code, redirect_uris: [redirectUri], post_logout_redirect_uris: [postLogoutRedirectUri] };
  const logout = { backchannel_logout_uri: `${endpoint.origin}/backchannel`, backchannel_logout_session_required: true };
  const proofJwk = { ...(await exportJWK(proof.publicKey)), alg: 'ES256', use: 'sig', kid: 'proof' };
  const encryptionJwk = { ...(await exportJWK(encryption.publicKey)), use: 'enc', kid: 'encryption' };
  return [
    { ...base, ...logout, client_id: 'web', client_secret: 'secret of web', token_endpoint_auth_method: 'client_secret_basic' },
    {
      ...base,
      client_id: 'post',
      client_secret: 'secret of post',
      token_endpoint_auth_method: 'client_secret_post',
      userinfo_signed_response_alg: 'ES256',
    },
    { ...base, client_id: 'public', token_endpoint_auth_method: 'none' },
    {
      ...base,
      client_id: 'careful',
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [proofJwk, encryptionJwk] },
      id_token_signed_response_alg: 'ES256',
      id_token_encrypted_response_alg: 'RSA-OAEP-256',
      id_token_encrypted_response_enc: 'A256GCM',
    },
  ];
}

function client(
  changes: Partial<RelyingPartyOptions> & Pick<RelyingPartyOptions, 'clientId' | 'clientAuthentication'>,
): RelyingParty {
  // The provider's clock and ours are one, but its `iat` may round up to the next second.
  const local = { dangerouslyAllowLoopbackHttp: true, clockToleranceSeconds: 2 };
  return new RelyingParty({ issuer: op.issuer, redirectUri, postLogoutRedirectUri, scopes, ...local, ...changes });
}

async function signIn(rp: RelyingParty, person = new PersonAtBrowser(), login = 'reader') {
  const { url, pending } = await rp.startSignIn({ returnTo: '/n/1' });
  const address = await person.signIn(url, login, redirectUri);
  return { result: await rp.finishSignIn(address, pending), person };
}

test('sign-in, rotation of the keys, refresh, UserInfo, sign-out here and at the provider', async () => {
  // Other tests of this file ask this provider too.
  const [requests, errors] = [op.requests.length, op.errors.length];
  relyingParty = client({ clientId: 'web', clientAuthentication: { method: 'client_secret_basic', secret: 'secret of web' } });
  const { result: before, person } = await signIn(relyingParty);
  expect(before.identity).toEqual({ issuer: op.issuer, subject: 'reader' });
  expect(before.returnTo).toBe('/n/1');

  await op.rotateKeys();
  const refreshed = await relyingParty.refresh(before);
  expect(refreshed.tokens.idToken).not.toBe(before.tokens.idToken);
  expect(refreshed.tokens.refreshToken).toBeTruthy();
  expect(op.requests.slice(requests).filter(request => request === 'GET /jwks')).toHaveLength(2);

  expect(await relyingParty.fetchUserInfo(refreshed)).toMatchObject({
    sub: 'reader',
    email: 'reader@example.org',
    email_verified: true,
  });

  const { url, pending } = await relyingParty.startSignOut({ idTokenHint: refreshed.tokens.idToken, returnTo: '/bye' });
  const back = await person.signOut(url, postLogoutRedirectUri);
  expect(await relyingParty.finishSignOut(back, pending)).toEqual({ state: 'matched', returnTo: '/bye' });

  expect(op.errors.slice(errors)).toEqual([]);
  await expect.poll(() => ended.length, { timeout: 5_000 }).toBe(1);
  expect(ended[0]).toMatchObject({ issuer: op.issuer, subject: 'reader', sid: before.claims.sid });
  expect(op.errors.slice(errors)).toEqual([]);
});

test('a public client signs in with PKCE alone, and its revoked refresh token ends the session', async () => {
  const rp = client({ clientId: 'public', clientAuthentication: { method: 'none' } });
  const { result } = await signIn(rp, new PersonAtBrowser(), 'another');
  expect(result.identity.subject).toBe('another');
  await rp.revoke(result.tokens.refreshToken!, 'refresh_token');
  expect(endsSession(await errorOf(rp.refresh(result)))).toBe(true);
});

test('a secret in the body and signed UserInfo', async () => {
  const clientAuthentication = { method: 'client_secret_post', secret: 'secret of post' } as const;
  const rp = client({ clientId: 'post', clientAuthentication, userInfoAlgorithms: ['ES256'] });
  const { result } = await signIn(rp);
  expect(await rp.fetchUserInfo(result)).toEqual({ sub: 'reader', email: 'reader@example.org', email_verified: true });
});

test('a signed proof of the client and an encrypted ID Token', async () => {
  const rp = client({
    clientId: 'careful',
    clientAuthentication: { method: 'private_key_jwt', key: proofKey, algorithm: 'ES256', keyId: 'proof' },
    idTokenAlgorithms: ['ES256'],
    idTokenDecryption: { algorithm: 'RSA-OAEP-256', encryption: 'A256GCM', keys: [{ kid: 'encryption', key: decryptionKey }] },
  });
  const { result } = await signIn(rp);
  expect(result.identity.subject).toBe('reader');
  expect(result.tokens.idToken.split('.')).toHaveLength(5);
});

test('a wrong secret, a refused sign-in and a used code are told apart', async () => {
  const wrong = client({ clientId: 'web', clientAuthentication: { method: 'client_secret_basic', secret: 'wrong' } });
  expect(await errorOf(signIn(wrong))).toMatchObject({ code: 'OIDC_TOKEN_ERROR', providerError: 'invalid_client' });

  const rp = client({ clientId: 'public', clientAuthentication: { method: 'none' } });
  const silent = await rp.startSignIn({ prompt: 'none' });
  const address = await new PersonAtBrowser().signIn(silent.url, 'reader', redirectUri);
  expect(await errorOf(rp.finishSignIn(address, silent.pending))).toMatchObject({
    code: 'OIDC_PROVIDER_ERROR',
    providerError: 'login_required',
  });

  const { url, pending } = await rp.startSignIn();
  const callback = await new PersonAtBrowser().signIn(url, 'reader', redirectUri);
  await rp.finishSignIn(callback, pending);
  const elsewhere = client({ clientId: 'public', clientAuthentication: { method: 'none' } });
  expect(await errorOf(elsewhere.finishSignIn(callback, pending))).toMatchObject({
    code: 'OIDC_TOKEN_ERROR',
    providerError: 'invalid_grant',
  });
});

test('each scope yields its claims, and one that was not asked for does not', async () => {
  const web = { clientId: 'web', clientAuthentication: { method: 'client_secret_basic', secret: 'secret of web' } } as const;
  const askedFor = async (...asked: string[]) => {
    const rp = client({ ...web, scopes: ['openid', ...asked] });
    const { result } = await signIn(rp);
    return rp.fetchUserInfo(result);
  };
  expect(await askedFor('profile', 'address', 'phone')).toEqual({
    sub: 'reader',
    name: 'Reader reader',
    picture: 'https://pictures.example/reader.png',
    locale: 'pt-BR',
    address: { formatted: 'Rua Um, 1\nLisboa', locality: 'Lisboa', country: 'PT' },
    phone_number: '+351 210 000 000',
    phone_number_verified: false,
  });
  expect(await askedFor('phone')).toEqual({ sub: 'reader', phone_number: '+351 210 000 000', phone_number_verified: false });
  expect(await askedFor()).toEqual({ sub: 'reader' });
});
