import { generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import { OidcError, RelyingParty, type RelyingPartyOptions } from '../../src/index.ts';
import { FakeOp } from '../support/fake-op.ts';

const op = await FakeOp.start();
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const pem = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----';
const proof = (changes: object) => ({ clientAuthentication: { method: 'private_key_jwt', algorithm: 'ES256', ...changes } });

function refusalOf(options: unknown): OidcError {
  try {
    new RelyingParty(options as RelyingPartyOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(OidcError);
    return error as OidcError;
  }
  throw new Error('it was accepted');
}

test.each([
  ['options.clockToleranceSeconds', { clockToleranceSeconds: '5' }],
  ['options.clockToleranceSeconds', { clockToleranceSeconds: Number.NaN }],
  ['options.clockToleranceSeconds', { clockToleranceSeconds: 301 }],
  ['options.clockToleranceSeconds', { clockToleranceSeconds: null }],
  ['options.maxAge', { maxAge: 60 }],
  ['options.scopes', { scopes: 'openid email' }],
  ['options.scopes[1]', { scopes: ['openid', 'email profile'] }],
  ['options.scopes[0]', { scopes: [7] }],
  ['options.issuer', { issuer: new URL('https://op.example') }],
  ['options.clientId', { clientId: '' }],
  ['options.clientId', { clientId: 'a\r\nb' }],
  ['options.redirectUri', { redirectUri: 'javascript:alert(1)' }],
  ['options.postLogoutRedirectUri', { postLogoutRedirectUri: 'javascript:alert(1)' }],
  ['options.postLogoutRedirectUri', { postLogoutRedirectUri: 'http://rp.example/bye' }],
  ['options.responseMode', { responseMode: 'fragment' }],
  ['options.frontChannelLogoutSessionRequired', { frontChannelLogoutSessionRequired: 'false' }],
  ['options.backChannelLogoutSessionRequired', { backChannelLogoutSessionRequired: 0 }],
  ['options.dangerouslyAllowLoopbackHttp', { dangerouslyAllowLoopbackHttp: 'no' }],
  ['options.idTokenAlgorithms', { idTokenAlgorithms: 'RS256' }],
  ['options.userInfoAlgorithms[0]', { userInfoAlgorithms: ['HS256'] }],
  ['options.limits.requestTimeoutMs', { limits: { requestTimeoutMs: Number.NaN } }],
  ['options.limits.maxTokenBytes', { limits: { maxTokenBytes: '65536' } }],
  ['options.limits.jwksMaxAge', { limits: { jwksMaxAge: 60 } }],
  ['options.limits.minCacheSeconds', { limits: { minCacheSeconds: 4_000 } }],
  ['options.now', { now: 1_700_000_000 }],
  ['options.fetch', { fetch: 'node-fetch' }],
  ['options.randomBytes', { randomBytes: {} }],
  ['options.guardUrl', { guardUrl: true }],
  ['options.replayStore.claim', { replayStore: { use: () => true, forget: () => undefined } }],
  ['options.replayStore.release', { replayStore: { claim: () => true } }],
  ['options.environment', { environment: {} }],
  ['options.metadata', { metadata: 'https://op.example' }],
  ['options.securityProfile', { securityProfile: 'fapi1' }],
  ['options.entraTenants[0]', { entraTenants: ['contoso'] }],
  ['options.entraTenants', { entraTenants: 'any' }],
  ['options.clientAuthentication', { clientAuthentication: 'secret' }],
  ['options.clientAuthentication.method', { clientAuthentication: { secret: 'x' } }],
  ['options.clientAuthentication.method', { clientAuthentication: { method: 'client_secret_jwt', secret: 'x' } }],
  ['options.clientAuthentication.secret', { clientAuthentication: { method: 'client_secret_basic', secret: 7 } }],
  [
    'options.clientAuthentication.audience',
    { clientAuthentication: { method: 'client_secret_post', secret: 'x', audience: 'y' } },
  ],
  ['options.clientAuthentication.secret', { clientAuthentication: { method: 'none', secret: 'x' } }],
  ['options.clientAuthentication.key', proof({ key: pem })],
  ['options.clientAuthentication.key', proof({ key: publicKey })],
  ['options.clientAuthentication.key', proof({ key: { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' } })],
  ['options.clientAuthentication.key', proof({ key: privateKey, algorithm: 'ES384' })],
  ['options.clientAuthentication.key', proof({ key: privateKey, algorithm: 'RS256' })],
  ['options.clientAuthentication.key', proof({})],
  ['options.clientAuthentication.sign', proof({ sign: 'kms' })],
  ['options.clientAuthentication.kid', proof({ key: privateKey, kid: 'k' })],
  ['options.clientAuthentication.keyId', proof({ key: privateKey, keyId: 7 })],
  [
    'options.idTokenDecryption.keys[0].key',
    { idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys: [{ key: pem }] } },
  ],
  [
    'options.idTokenDecryption.keys[0].key',
    { idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys: [{ key: publicKey }] } },
  ],
  [
    'options.idTokenDecryption.enc',
    { idTokenDecryption: { algorithm: 'ECDH-ES', enc: 'A256GCM', encryption: 'A256GCM', keys: [{ key: privateKey }] } },
  ],
  ['options.dpop.privateKey', { dpop: { algorithm: 'ES256', privateKey: publicKey, publicKey } }],
  ['options.dpop.publicKey', { dpop: { algorithm: 'ES256', privateKey, publicKey: privateKey } }],
  ['options.consentForOfflineAccess', { consentForOfflineAccess: 'never' }],
])('refuses %s by its path', (path, changes) => {
  const error = refusalOf({ ...op.options(), ...changes });
  expect([error.code, error.check, error.status]).toEqual(['OIDC_CONFIG_INVALID', path, 500]);
});

test.each([undefined, null, 'https://op.example', 7, []])('refuses %s as the options', options => {
  expect(refusalOf(options)).toMatchObject({ code: 'OIDC_CONFIG_INVALID', check: 'options' });
});

test('refuses an unknown name even if inherited, and names each missing one', () => {
  expect(refusalOf(Object.assign(Object.create({ maxAge: 5 }), op.options())).check).toBe('options.maxAge');
  for (const name of ['issuer', 'clientId', 'clientAuthentication', 'redirectUri']) {
    expect(refusalOf({ ...op.options(), [name]: undefined }).check).toBe(`options.${name}`);
  }
});

test('says what is expected and the kind of the value, never the value', () => {
  const error = refusalOf({ ...op.options(), clientAuthentication: { method: 'my secret', secret: 'my secret' } });
  expect(error.message).toContain('expected one of client_secret_basic, client_secret_post, private_key_jwt, none');
  expect(error.message).toContain('received a string of 9 characters');
  expect(JSON.stringify(error) + error.stack).not.toContain('my secret');
  expect(refusalOf({ ...op.options(), scopes: 'openid' }).message).toContain(
    'options.scopes; expected an array of strings, received a string of 6 characters',
  );
});

test('refuses text as the tolerance, which would accept expired tokens', async () => {
  const given = { clockToleranceSeconds: '5' } as unknown as Partial<RelyingPartyOptions>;
  expect(() => op.relyingParty(given)).toThrow(expect.objectContaining({ check: 'options.clockToleranceSeconds' }));
});

test('treats undefined options as absent', async () => {
  const absent = Object.fromEntries(
    ['scopes', 'responseMode', 'limits', 'replayStore', 'guardUrl', 'metadata', 'now', 'dpop'].map(name => [name, undefined]),
  );
  const rp = op.relyingParty({ ...absent, now: () => new Date(op.nowMs), limits: { requestTimeoutMs: undefined } as object });
  expect((await rp.metadata()).issuer).toBe(op.issuer);
});

test('ignores later changes to an array', async () => {
  const idTokenAlgorithms: ('RS256' | 'ES256')[] = ['RS256'];
  const scopes = ['email'];
  const rp = op.relyingParty({ idTokenAlgorithms, scopes });
  idTokenAlgorithms[0] = 'ES256';
  scopes.push('admin');
  const { url, pending } = await rp.startSignIn();
  expect(url.searchParams.get('scope')).toBe('openid email');
  expect((await rp.finishSignIn(op.authorize(url), pending)).identity.subject).toBe('sub-1');
});
