import { createHash, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationSecret, clientFor, follow, Jar } from '../support/application.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { freePort, serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';

// The modules of the OpenID Foundation's plans for providers, "basic" and "config", by their names: docs/gate/openid-suite.md. Requests are
// written out, so that our own relying party smooths nothing over.

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const scopes = ['email', 'profile', 'groups', 'offline_access'];
let gate: TestGate;
let application: TestServer;
let issuer: string;
let callback: string;

type Parameters = Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}/gate/oidc`;
  application = await serve((_request, response) => response.end('the application'));
  callback = `${application.origin}/callback`;
  gate = await startGate(
    {
      providers: [corp],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
      bridge: {
        keys: [{ env: 'RSA_KEY' }],
        clients: [
          clientFor(application, 'suite', { scopes, pkce: 'optional' }),
          clientFor(application, 'poster', { scopes, pkce: 'optional', authentication: 'client_secret_post' }),
        ],
      },
    },
    { port, env: { RSA_KEY: pem, APPLICATION_SECRET: applicationSecret } },
  );
});

afterAll(async () => {
  for (const one of [gate, application]) await one?.[Symbol.asyncDispose]();
});

async function browser(): Promise<Jar> {
  const jar = new Jar();
  const [name = '', value = ''] = (await sessionCookie(gate)).split('=');
  jar.cookies.set(name, value);
  return jar;
}

const addressOf = (more: Parameters): string => {
  const all = {
    client_id: 'suite',
    response_type: 'code',
    scope: 'openid',
    redirect_uri: callback,
    nonce: 'n1',
    state: 's1',
    ...more,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${issuer}/auth?${new URLSearchParams(given)}`;
};

/** Where an authorization request ends: at the application, at the sign-in page, or on a page of the gate. */
const ask = (more: Parameters, jar: Jar) => follow(addressOf(more), jar, application.origin);

async function codeFor(more: Parameters = {}, jar?: Jar): Promise<string> {
  const { url, response } = await ask(more, jar ?? (await browser()));
  const { searchParams } = new URL(url);
  expect([response, searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
    undefined,
    null,
    's1',
    issuer,
  ]);
  return searchParams.get('code') ?? '';
}

const basic = { authorization: `Basic ${btoa(`suite:${encodeURIComponent(applicationSecret)}`)}` };

const exchange = (code: string, more: Parameters = {}, headers: Record<string, string> = basic) =>
  fetch(`${issuer}/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback, ...more } as never),
  });

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token?: string;
  readonly token_type: string;
  readonly expires_in: number;
}

async function tokensFor(more: Parameters = {}, jar?: Jar): Promise<Tokens> {
  const answer = await exchange(await codeFor(more, jar));
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return answer.json();
}

async function claimsOf(idToken: string): Promise<Record<string, unknown>> {
  const keys = createLocalJWKSet(await (await fetch(`${issuer}/jwks`)).json());
  const { payload } = await jwtVerify(idToken, keys, { issuer, audience: 'suite', algorithms: ['RS256'] });
  return payload;
}

const userInfo = async (token: string, init: RequestInit = { headers: { authorization: `Bearer ${token}` } }) => {
  const answer = await fetch(`${issuer}/me`, init);
  return { status: answer.status, claims: answer.status === 200 ? ((await answer.json()) as Record<string, unknown>) : {} };
};

test('oidcc-discovery-endpoint-verification', async () => {
  const found = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  expect(found).toMatchObject({ issuer, subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'] });
  expect(found.claims_supported).toEqual(expect.arrayContaining(['sub', 'email', 'name']));
  expect(found.scopes_supported).toEqual(expect.arrayContaining(['openid', ...scopes]));
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
    expect(new URL(found[name]).origin).toBe(new URL(issuer).origin);
});

describe('tokens', () => {
  test('oidcc-server', async () => {
    const tokens = await tokensFor();
    expect([tokens.token_type, tokens.expires_in]).toEqual(['Bearer', 300]);
    const claims = await claimsOf(tokens.id_token);
    expect(claims).toMatchObject({ iss: issuer, aud: 'suite', nonce: 'n1', sub: expect.stringMatching(/^[\w-]{43}$/) });
    expect(Number(claims.exp)).toBeGreaterThan(Number(claims.iat));
  });

  test('oidcc-server-client-secret-post', async () => {
    const code = await codeFor({ client_id: 'poster' });
    expect((await exchange(code, { client_id: 'poster', client_secret: 'another one' }, {})).status).toBe(401);
    const proof = { client_id: 'poster', client_secret: applicationSecret };
    expect((await exchange(code, proof, {})).status).toBe(200);
  });

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    expect((await claimsOf((await tokensFor({ nonce: undefined })).id_token)).nonce).toBeUndefined();
  });

  test('oidcc-codereuse, oidcc-codereuse-30seconds', async () => {
    const code = await codeFor();
    const { access_token } = await (await exchange(code)).json();
    expect((await userInfo(access_token)).status).toBe(200);
    const again = await exchange(code);
    expect([again.status, (await again.json()).error]).toEqual([400, 'invalid_grant']);
    expect((await userInfo(access_token)).status).toBe(401);
  });

  test('oidcc-refresh-token', async () => {
    const tokens = await tokensFor({ scope: 'openid offline_access', prompt: 'consent' });
    const renew = (refresh_token: string) => exchange('', { grant_type: 'refresh_token', refresh_token });
    const renewed: Tokens = await (await renew(tokens.refresh_token ?? '')).json();
    const [before, after] = [await claimsOf(tokens.id_token), await claimsOf(renewed.id_token)];
    expect([after.iss, after.sub, after.aud, after.auth_time]).toEqual([before.iss, before.sub, before.aud, before.auth_time]);
    expect(renewed.access_token).not.toBe(tokens.access_token);
    expect((await renew(tokens.refresh_token ?? '')).status).toBe(400);
    // Another client cannot use it.
    const stolen = await exchange(
      '',
      {
        grant_type: 'refresh_token',
        refresh_token: renewed.refresh_token,
        client_id: 'poster',
        client_secret: applicationSecret,
      },
      {},
    );
    expect((await stolen.json()).error).toBe('invalid_grant');
  });

  test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const verifier = 'a-verifier-of-this-test-that-is-at-least-43-characters-long';
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const challenge = { code_challenge, code_challenge_method: 'S256' };
    expect((await exchange(await codeFor(challenge), { code_verifier: `${verifier}x` })).status).toBe(400);
    expect((await exchange(await codeFor(challenge))).status).toBe(400);
    expect((await exchange(await codeFor(challenge), { code_verifier: verifier })).status).toBe(200);
  });
});

describe('UserInfo', () => {
  test('oidcc-userinfo-get, oidcc-userinfo-post-header, oidcc-userinfo-post-body', async () => {
    const { access_token, id_token } = await tokensFor();
    const { sub } = await claimsOf(id_token);
    const bearer = { authorization: `Bearer ${access_token}` };
    for (const init of [
      { headers: bearer },
      { method: 'POST', headers: bearer },
      { method: 'POST', body: new URLSearchParams({ access_token }) },
    ])
      expect(await userInfo(access_token, init)).toEqual({ status: 200, claims: { sub } });
    expect((await userInfo('nonsense')).status).toBe(401);
    // An ID Token is no key to it.
    expect((await userInfo(id_token)).status).toBe(401);
  });

  test.each([
    ['oidcc-scope-profile', 'openid profile', { name: 'Ada', provider: 'corp' }],
    ['oidcc-scope-email', 'openid email', { email: 'ada@example.org', email_verified: true }],
    [
      'oidcc-scope-all, oidcc-ensure-other-scope-order-succeeds',
      'groups email profile openid',
      { name: 'Ada', provider: 'corp', email: 'ada@example.org', email_verified: true, groups: ['staff'] },
    ],
    ['oidcc-scope-address, oidcc-scope-phone: not offered, and left out', 'openid address phone', {}],
  ])('%s', async (_module, scope, wanted) => {
    const { claims } = await userInfo((await tokensFor({ scope })).access_token);
    const { sub, ...rest } = claims;
    expect([typeof sub, rest]).toEqual(['string', wanted]);
  });
});

describe('authorization requests', () => {
  const isSignIn = ({ url }: { url: string }) =>
    new URL(url).pathname === '/gate/sign-in' || url.startsWith('https://op.example');

  test.each([
    ['oidcc-response-type-missing', { response_type: undefined }, 'invalid_request'],
    ['a response type that is not offered', { response_type: 'id_token' }, 'unsupported_response_type'],
    [
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported, oidcc-ensure-request-object-with-redirect-uri',
      { request: 'eyJhbGciOiJub25lIn0.e30.' },
      'request_not_supported',
    ],
    ['a request by reference', { request_uri: 'https://rp.example/request' }, 'request_uri_not_supported'],
  ])('%s', async (_module, more, error) => {
    const { url, response } = await ask(more, await browser());
    // Told to the application, or on a page where the request itself cannot say whom to tell.
    const { searchParams, hash } = new URL(url);
    const told = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
    if (response === undefined) expect(told).toBe(error);
    else expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(error)]);
  });

  test('oidcc-ensure-registered-redirect-uri', async () => {
    for (const redirect_uri of [`${callback}/more`, `${callback}?x=1`, 'https://evil.example/callback', undefined]) {
      const { url, response } = await ask({ redirect_uri }, await browser());
      expect([response?.status, url.startsWith(issuer)]).toEqual([400, true]);
    }
  });

  test('oidcc-ensure-post-request-succeeds', async () => {
    const jar = await browser();
    const [address = '', query = ''] = addressOf({}).split('?');
    const posted = await fetch(address, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: jar.header, accept: 'text/html' },
      body: new URLSearchParams(query),
    });
    jar.take(posted);
    const { url } = await follow(new URL(posted.headers.get('location') ?? '', address).href, jar, application.origin);
    expect([url, new URL(url).searchParams.get('code')]).toEqual([url, expect.any(String)]);
    // What is no form, and what is too long for an address, is refused.
    const refused = async (body: BodyInit) => (await fetch(address, { method: 'POST', body })).status;
    expect([await refused('{}'), await refused(new URLSearchParams({ state: 'x'.repeat(9000) }))]).toEqual([400, 413]);
  });

  test.each([
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'ada@example.org' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
    ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['oidcc-max-age-10000', { max_age: '10000' }],
  ])('%s', async (_module, more) => {
    const claims = await claimsOf((await tokensFor(more)).id_token);
    if ('max_age' in more) expect(Number(claims.auth_time)).toBeGreaterThan(Date.now() / 1000 - 10_000);
  });

  test('oidcc-prompt-none-not-logged-in, oidcc-prompt-none-logged-in', async () => {
    const nobody = await ask({ prompt: 'none' }, new Jar());
    expect(new URL(nobody.url).searchParams.get('error')).toBe('login_required');
    const jar = await browser();
    const first = await claimsOf((await tokensFor({}, jar)).id_token);
    const second = await claimsOf((await tokensFor({ prompt: 'none' }, jar)).id_token);
    expect([second.sub, second.auth_time]).toEqual([first.sub, first.auth_time]);
  });

  test('oidcc-id-token-hint', async () => {
    const jar = await browser();
    const { id_token } = await tokensFor({}, jar);
    const again = await claimsOf((await tokensFor({ prompt: 'none', id_token_hint: id_token }, jar)).id_token);
    expect(again.sub).toBe((await claimsOf(id_token)).sub);
  });

  test('oidcc-prompt-login, oidcc-max-age-1', async () => {
    const jar = await browser();
    await codeFor({}, jar);
    for (const more of [{ prompt: 'login' }, { max_age: '0' }]) {
      const end = await follow(addressOf(more), jar, `${gate.origin}/gate/sign-in`);
      expect([end.response, isSignIn(end), new URL(end.url).searchParams.get('fresh')]).toEqual([undefined, true, '1']);
    }
  });
});
