import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import type { RelyingPartyOptions } from '../../src/index.ts';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// Fixtures in the shapes that the providers are known for; none of them was asked. Those after documents: provider-documents.test.ts.

test('Google: signs in without iss in the callback, with access_type for offline access and a hosted domain', async () => {
  const op = await FakeOp.start();
  op.issuer = 'https://accounts.google.com';
  op.faults = {
    metadata: document => ({
      ...document,
      authorization_response_iss_parameter_supported: undefined,
      end_session_endpoint: null,
    }),
    callback: parameters => {
      parameters.delete('iss');
      parameters.set('scope', 'email openid https://www.googleapis.com/auth/userinfo.email');
      parameters.set('authuser', '0');
      parameters.set('prompt', 'consent');
      parameters.set('hd', 'example.org');
    },
    token: response => ({ ...response, scope: 'openid https://www.googleapis.com/auth/userinfo.email' }),
    idTokenClaims: claims =>
      without({ ...claims, azp: 'notes', sub: '110169484474386276334', hd: 'example.org', sid: undefined }),
  };
  const request = { extraParameters: { access_type: 'offline', hd: 'example.org' } };
  const { claims } = await signInAt(op, { options: { scopes: ['openid', 'email'] }, request });
  expect([claims.hd, claims.azp]).toEqual(['example.org', 'notes']);
  expect(await errorOf(op.relyingParty().startSignOut())).toMatchObject({ code: 'OIDC_ENDPOINT_MISSING' });
});

test('Auth0: accepts an issuer with a slash, escaped names of namespaced claims, and 403 for a revoked refresh token', async () => {
  const op = await FakeOp.start();
  op.issuer = 'https://tenant.eu.auth0.com/';
  op.faults.metadata = document => ({
    ...document,
    token_endpoint: `${op.issuer}oauth/token`,
    jwks_uri: `${op.issuer}.well-known/jwks`,
    authorization_endpoint: `${op.issuer}authorize`,
  });
  op.faults.callback = parameters => parameters.set('iss', op.issuer);
  op.faults.idTokenClaims = claims =>
    JSON.stringify({ ...claims, 'https://example.org/roles': ['staff'] }).replaceAll(
      'https://example.org/',
      'https:\\/\\/example.org\\/',
    );
  const { claims } = await signInAt(op);
  expect(claims['https://example.org/roles']).toEqual(['staff']);
});

test('Keycloak: accepts a list as audience with azp, and session_state in callback and token response', async () => {
  const op = await FakeOp.start();
  op.issuer = 'https://keycloak.example/realms/master';
  op.faults = {
    callback: parameters => {
      parameters.set('session_state', 'f1b1');
    },
    token: response => ({
      ...response,
      'not-before-policy': 0,
      session_state: 'f1b1',
      refresh_expires_in: 1800,
      scope: 'openid email',
    }),
    idTokenClaims: claims => ({ ...claims, typ: 'ID', aud: ['notes', 'account'], azp: 'notes', session_state: 'f1b1', acr: '1' }),
  };
  const { claims, tokens } = await signInAt(op);
  expect([claims.azp, claims.acr, tokens.scopes]).toEqual(['notes', '1', ['openid', 'email']]);
});

test('Apple: accepts a form post, a newly signed secret, flags as text, and the name beside the code', async () => {
  const op = await FakeOp.start();
  op.issuer = 'https://appleid.apple.com';
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  let made = 0;
  const options: Partial<RelyingPartyOptions> = {
    responseMode: 'form_post',
    clientAuthentication: {
      method: 'client_secret_post',
      secret: () => {
        made += 1;
        return new SignJWT({})
          .setProtectedHeader({ alg: 'ES256', kid: 'TEAMKEY' })
          .setIssuer('TEAM')
          .setJti(`${made}`)
          .sign(privateKey);
      },
    },
  };
  op.faults.idTokenClaims = claims => ({ ...claims, email_verified: 'true', is_private_email: 'true', nonce_supported: true });
  const rp = op.relyingParty(options);
  const { url, pending } = await rp.startSignIn();
  const body = `${new URL(op.authorize(url)).search.slice(1)}&user=${encodeURIComponent('{"name":{"firstName":"R"}}')}`;
  const signIn = await rp.finishSignIn({ method: 'POST', url: '/callback', body }, pending);
  expect(signIn.claims.email_verified).toBe('true');
  await rp.refresh(signIn);
  const secrets = op.bodies.map(sent => sent.get('client_secret')).filter(secret => secret !== null);
  expect(new Set(secrets).size).toBe(2);
  expect((await jwtVerify(secrets[0]!, publicKey)).payload.iss).toBe('TEAM');
});

test.each([
  ['nothing', () => undefined],
  ['an empty text', () => ''],
  ['an error', () => Promise.reject(new Error('vault is sealed'))],
])('reports an outage and sends nothing if the secret function gives %s', async (_what, secret) => {
  const op = await FakeOp.start();
  const clientAuthentication = { method: 'client_secret_basic', secret: secret as () => string } as const;
  const error = await errorOf(signInAt(op, { options: { clientAuthentication } }));
  expect([error.code, error.status, op.asked('/token')]).toEqual(['OIDC_CLIENT_CREDENTIAL', 503, 0]);
});

test('signs through a function with a key in a key management service, raw and not DER', async () => {
  const op = await FakeOp.start();
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const sign = async (input: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, new Uint8Array(input)));
  await signInAt(op, {
    options: { clientAuthentication: { method: 'private_key_jwt', algorithm: 'ES256', keyId: 'kms-1', sign } },
  });
  const assertion = op.bodies.find(body => body.has('client_assertion'))!.get('client_assertion')!;
  const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
    audience: op.issuer,
    currentDate: new Date(op.nowMs),
  });
  expect([payload.iss, payload.sub, protectedHeader.kid]).toEqual(['notes', 'notes', 'kms-1']);
  const failing = { method: 'private_key_jwt', algorithm: 'ES256', sign: () => new Uint8Array() } as const;
  expect((await errorOf(signInAt(op, { options: { clientAuthentication: failing } }))).code).toBe('OIDC_CLIENT_CREDENTIAL');
});

test.each([
  ['a lifetime as text', { expires_in: '3599' }, { expiresAt: 3599 }],
  ['a lifetime of null', { expires_in: null }, {}],
  ['scopes as a list', { scope: ['openid', 'email'] }, { scopes: ['openid', 'email'] }],
  ['scopes of null', { scope: null }, {}],
  ['a refresh token of null', { refresh_token: null }, { refreshToken: undefined }],
  ['members of its own', { id_token_type: null, foo: { bar: [] } }, {}],
])('reads a token response with %s', async (_what, change, expected) => {
  const op = await FakeOp.start();
  op.faults.token = response => ({ ...response, expires_in: undefined, ...change });
  const { tokens } = await signInAt(op);
  const { expiresAt, ...rest } = expected as { expiresAt?: number };
  expect(tokens.expiresAt).toBe(expiresAt === undefined ? undefined : op.now + expiresAt);
  for (const [name, value] of Object.entries(rest)) expect(tokens[name as keyof typeof tokens]).toEqual(value);
});

test('treats null members of the discovery document as absent, except required ones', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = document => ({
    ...document,
    userinfo_endpoint: null,
    authorization_response_iss_parameter_supported: null,
  });
  const rp = op.relyingParty();
  expect('userinfo_endpoint' in (await rp.metadata())).toBe(false);
  op.faults.metadata = document => ({ ...document, jwks_uri: null });
  expect((await errorOf(op.relyingParty().metadata())).code).toBe('OIDC_DISCOVERY_INVALID');
});

test('counts max_age from the start of the sign-in', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const started = op.now;
  const signedIn = async (authenticated: number) => {
    const { url, pending } = await rp.startSignIn({ maxAgeSeconds: 60 });
    op.faults.idTokenClaims = claims => ({ ...claims, auth_time: authenticated });
    op.advance(300);
    return rp.finishSignIn(op.authorize(url), pending);
  };
  expect((await signedIn(started - 60)).claims.auth_time).toBe(started - 60);
  expect((await errorOf(signedIn(op.now - 61))).code).toBe('OIDC_CLAIM_AUTH_TIME');
});

test('tolerates clocks that differ by at most 30 seconds by default', async () => {
  const op = await FakeOp.start();
  const { clockToleranceSeconds: _, ...options } = op.options();
  const { RelyingParty } = await import('../../src/index.ts');
  const rp = new RelyingParty(options);
  const validate = async (changes: object) =>
    rp.validateIdToken(await op.sign(op.claims(changes as never)), { nonce: undefined });
  const now = Math.floor(op.now);
  expect((await validate({ iat: now + 30, nbf: now + 30 })).iat).toBe(now + 30);
  expect((await validate({ exp: now - 29 })).exp).toBe(now - 29);
  expect((await errorOf(validate({ iat: now + 31 }))).code).toBe('OIDC_CLAIM_IAT');
  expect((await errorOf(validate({ nbf: now + 31 }))).code).toBe('OIDC_CLAIM_NBF');
  expect((await errorOf(validate({ exp: now - 30 }))).code).toBe('OIDC_TOKEN_EXPIRED');
});

test('asks for consent with offline access, unless the provider needs none', async () => {
  const op = await FakeOp.start();
  const prompt = async (options: Partial<RelyingPartyOptions>, request = {}) =>
    (await op.relyingParty({ scopes: ['offline_access'], ...options }).startSignIn(request)).url.searchParams.get('prompt');
  expect(await prompt({})).toBe('consent');
  expect(await prompt({ consentForOfflineAccess: false })).toBeNull();
  expect(await prompt({ consentForOfflineAccess: false }, { prompt: 'login' })).toBe('login');
});

test('lets one sign-in return to another redirect URI, and only there', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn({ redirectUri: 'https://other.example/back' });
  const address = op.authorize(url);
  expect(address).toMatch(/^https:\/\/other\.example\/back\?/);
  expect((await errorOf(rp.finishSignIn(address.replace('/back', '/callback'), pending))).code).toBe('OIDC_CALLBACK_URL');
  expect((await rp.finishSignIn(address, pending)).identity.subject).toBe('sub-1');
  expect(op.bodies.find(body => body.has('code'))!.get('redirect_uri')).toBe('https://other.example/back');
});

test('sends resources and provider parameters in both requests', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const resource = ['https://a.example/', 'https://b.example/'];
  const { url, pending } = await rp.startSignIn({ resource, tokenParameters: { audience: 'api' } });
  await rp.finishSignIn(op.authorize(url), JSON.parse(JSON.stringify(pending)));
  const sent = op.bodies.find(body => body.has('code'))!;
  expect([url.searchParams.getAll('resource'), sent.getAll('resource'), sent.get('audience')]).toEqual([
    resource,
    resource,
    'api',
  ]);
});

test('accepts RSA-OAEP with SHA-1 only behind a dangerous option', async () => {
  const { privateKey } = await generateKeyPair('RSA-OAEP', { extractable: true });
  const decryption = { algorithm: 'RSA-OAEP', encryption: 'A256GCM', keys: [{ key: await exportJWK(privateKey) }] } as const;
  const op = await FakeOp.start();
  expect(() => op.relyingParty({ idTokenDecryption: decryption })).toThrow(
    expect.objectContaining({ check: 'options.idTokenDecryption.dangerouslyAllowSha1' }),
  );
  expect(() => op.relyingParty({ idTokenDecryption: { ...decryption, dangerouslyAllowSha1: true } })).not.toThrow();
});

test('applies the deadline to the address guard and wraps its errors', async () => {
  const op = await FakeOp.start();
  const limits = { requestTimeoutMs: 50 };
  const hanging = op.relyingParty({ limits, guardUrl: () => new Promise<void>(() => undefined) });
  expect((await errorOf(hanging.metadata())).code).toBe('OIDC_HTTP_TIMEOUT');
  const throwing = op.relyingParty({ guardUrl: () => Promise.reject(new TypeError('no such host')) });
  const error = await errorOf(throwing.metadata());
  expect([error.code, (error.cause as Error).message]).toEqual(['OIDC_HTTP_URL_REFUSED', 'no such host']);
  expect(op.requests).toEqual([]);
});
