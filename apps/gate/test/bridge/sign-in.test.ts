import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import {
  type Application,
  applicationSecret,
  clientFor,
  follow,
  Jar,
  signInAt,
  startApplication,
} from '../support/application.ts';
import { corp, startGate, type TestGate, testKey } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';

// Our own relying party signs people in at the gate, as any application would.

const pem = (type: 'rsa' | 'ec') => {
  const pair =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
};
const keys = { RSA_KEY: pem('rsa'), EC_KEY: pem('ec'), NEW_KEY: pem('rsa') };
let origin: string;
let issuer: string;
let wiki: Application;
let board: Application;
let gate: TestGate;

const withDepartment = { ...corp, claims: ['department'] };
const bridge = (more: Record<string, unknown> = {}) => ({
  keys: [{ env: 'RSA_KEY' }, { env: 'EC_KEY' }],
  clients: [
    clientFor(wiki, 'wiki', { scopes: ['email', 'profile', 'groups', 'offline_access'] }),
    clientFor(board, 'board', { allow: { provider: 'corp', groups: ['board'] }, idTokenAlgorithm: 'ES256' }),
  ],
  claims: { department: { from: 'department' }, departments: { from: 'department', list: true } },
  ...more,
});
const rules = [{ paths: ['/**'], allow: 'signed-in' }];
const env = { ...keys, APPLICATION_SECRET: applicationSecret };

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  issuer = `${origin}/gate/oidc`;
  wiki = await startApplication(issuer, 'wiki', { scopes: ['openid', 'email', 'profile', 'groups', 'offline_access'] });
  board = await startApplication(issuer, 'board', { idTokenAlgorithms: ['ES256'] });
  gate = await startGate({ providers: [withDepartment], rules, bridge: bridge() }, { port, env });
});

afterAll(async () => {
  for (const one of [gate, wiki, board]) await one?.[Symbol.asyncDispose]();
});

/** The gate reads another configuration. */
function reload(input: Record<string, unknown>): Promise<unknown> {
  const variables = { STORE: gate.store, KEY_0: testKey, CLIENT_SECRET: 'a client secret of the tests', ...env };
  return gate.app.reload(readConfig(JSON.stringify(input), variables));
}

async function browserOf(more: Parameters<typeof sessionCookie>[1] = {}): Promise<Jar> {
  const jar = new Jar();
  const [name = '', value = ''] = (await sessionCookie(gate, more)).split('=');
  jar.cookies.set(name, value);
  return jar;
}

/** The same browser with the session of another one. */
function jarOf(before: Jar, other: Jar): Jar {
  const jar = new Jar();
  for (const cookies of [before.cookies, other.cookies]) for (const [name, value] of cookies) jar.cookies.set(name, value);
  return jar;
}

describe('an application behind the bridge', () => {
  test('discovers the gate as its provider', async () => {
    const found = await (await gate.fetch('/gate/oidc/.well-known/openid-configuration')).json();
    expect(found).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/me`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${issuer}/session/end`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      backchannel_logout_supported: true,
      frontchannel_logout_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    const { keys: published } = await (await gate.fetch('/gate/oidc/jwks')).json();
    expect(published).toHaveLength(2);
    for (const key of published) expect(Object.keys(key)).not.toContain('d');
  });

  test('learns who is signed in at the gate, without a page in between', async () => {
    const jar = await browserOf({ claims: { department: ['Letters', 'Numbers'] } });
    const signIn = await signInAt(wiki, jar);
    expect(signIn.identity.issuer).toBe(issuer);
    // Not the subject at the provider: two providers may use one name for two people.
    expect(signIn.identity.subject).toMatch(/^[\w-]{43}$/);
    const { sub, ...claims } = (await wiki.relyingParty.fetchUserInfo(signIn)) as unknown as Record<string, unknown>;
    expect(sub).toBe(signIn.identity.subject);
    expect(claims).toEqual({
      name: 'Ada',
      email: 'ada@example.org',
      email_verified: true,
      groups: ['staff'],
      provider: 'corp',
      department: 'Letters',
      departments: ['Letters', 'Numbers'],
    });
    // The standard's ID Token says who, and no more than asked.
    expect(Object.keys(signIn.claims).sort()).toEqual(['aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub'].sort());
  });

  test('appears in the audit log and the metrics, with or without a page in between', async () => {
    const count = async () =>
      Number(
        /gate_application_sign_ins_total\{application="wiki",outcome="signed-in"\} (\d+)/.exec(
          await (await gate.fetch('/gate/metrics')).text(),
        )?.[1] ?? 0,
      );
    const before = await count();
    await signInAt(wiki, await browserOf({ subject: 'audited' }));
    expect(await count()).toBe(before + 1);
    expect(gate.log.filter(line => line.audit === 'signed-in-at-application').at(-1)).toMatchObject({
      application: 'wiki',
      provider: 'corp',
      subject: 'audited',
    });
  });

  test('gets one subject per person, and another for the same name at another provider', async () => {
    const jar = await browserOf({ groups: ['board'] });
    const [atWiki, atBoard] = [await signInAt(wiki, jar), await signInAt(board, jar)];
    expect(atBoard.identity.subject).toBe(atWiki.identity.subject);
    expect(decodeProtectedHeader(atBoard.tokens.idToken ?? '').alg).toBe('ES256');
    expect(decodeProtectedHeader(atWiki.tokens.idToken ?? '').alg).toBe('RS256');
    expect(decodeJwt(atWiki.tokens.idToken ?? '').sid).not.toBe(decodeJwt(atBoard.tokens.idToken ?? '').sid);
  });

  test('gets the signed-in person with prompt=none, and login_required otherwise', async () => {
    const signIn = await signInAt(wiki, await browserOf(), { prompt: 'none' });
    expect(signIn.identity.issuer).toBe(issuer);
    await expect(signInAt(wiki, new Jar(), { prompt: 'none' })).rejects.toMatchObject({ providerError: 'login_required' });
  });

  test('sends a person who is not signed in to the sign-in page and back', async () => {
    const jar = new Jar();
    const { url, pending } = await wiki.relyingParty.startSignIn();
    const atGate = await follow(url.href, jar, `${origin}/gate/sign-in`);
    const returnTo = new URL(atGate.url).searchParams.get('returnTo') ?? '';
    expect(returnTo).toMatch(/^\/gate\/oidc\/interaction\/[\w-]{21,64}$/);
    // Signs in: what a provider's callback leaves behind.
    for (const [name, value] of (await browserOf()).cookies) jar.cookies.set(name, value);
    const end = await follow(`${origin}${returnTo}`, jar, `${wiki.origin}/callback`);
    const signIn = await wiki.relyingParty.finishSignIn({ method: 'GET', url: end.url }, pending);
    expect(signIn.identity.issuer).toBe(issuer);
  });

  test('cannot be finished in another browser', async () => {
    const { url } = await wiki.relyingParty.startSignIn();
    const atGate = await follow(url.href, new Jar(), `${origin}/gate/sign-in`);
    const returnTo = new URL(atGate.url).searchParams.get('returnTo') ?? '';
    const { response } = await follow(`${origin}${returnTo}`, await browserOf(), `${wiki.origin}/callback`);
    const text = await response?.text();
    expect([response?.status, text]).toEqual([400, expect.stringContaining('This sign-in has expired')]);
    expect(text).toContain('Go back to the application and start again there.');
  });

  test('gets access_denied for a person without access, after a page of the gate', async () => {
    const jar = await browserOf();
    const { url, pending } = await board.relyingParty.startSignIn();
    const end = await follow(url.href, jar, `${board.origin}/callback`);
    expect(end.response?.status).toBe(403);
    const text = (await end.response?.text()) ?? '';
    const lines = shownOn(text);
    const uid = /interaction\/([\w-]+)\?answer=no/.exec(text)?.[1] ?? '';
    const at = `/gate/oidc/interaction/${uid}`;
    expect(lines.slice(1, -1)).toEqual([
      'Access denied',
      'Your account doesn’t have access to Application board.',
      'You are signed in as ada@example.org.',
      `Go back to Application board -> ${at}?answer=no`,
      `Sign in with another account -> /gate/sign-in?another=1&returnTo=${encodeURIComponent(at)}`,
    ]);
    const reference = /^FORBIDDEN · ([0-9a-f]{8})$/.exec(lines.at(-1) ?? '')?.[1];
    expect(gate.log.findLast(line => line.audit === 'refused')).toEqual({
      time: expect.any(String),
      level: 'info',
      audit: 'refused',
      reference,
      why: 'application',
      application: 'board',
      provider: 'corp',
      subject: 'ada',
    });
    expect(await (await gate.fetch('/gate/metrics')).text()).toMatch(
      /gate_application_sign_ins_total\{application="board",outcome="refused"\} \d/,
    );
    const nameless = await follow(`${origin}${at}`, jarOf(jar, await browserOf({ email: undefined, name: undefined })), 'x:');
    expect(shownOn((await nameless.response?.text()) ?? '')[3]).toMatch(/^Go back to Application board/);
    const back = /href="([^"]+answer=no)"/.exec(text)?.[1] ?? '';
    const refused = await follow(`${origin}${back}`, jar, `${board.origin}/callback`);
    await expect(board.relyingParty.finishSignIn({ method: 'GET', url: refused.url }, pending)).rejects.toMatchObject({
      providerError: 'access_denied',
    });
    await expect(signInAt(board, jar, { prompt: 'none' })).rejects.toMatchObject({ providerError: 'access_denied' });
  });

  test('makes the person sign in again with prompt=login and max_age', async () => {
    const jar = await browserOf();
    await signInAt(wiki, jar);
    const { url, pending } = await wiki.relyingParty.startSignIn({ prompt: 'login' });
    const atGate = await follow(url.href, jar, `${origin}/gate/sign-in`);
    expect(new URL(atGate.url).searchParams.get('fresh')).toBe('1');
    const returnTo = new URL(atGate.url).searchParams.get('returnTo') ?? '';
    // The session of before does not do.
    expect((await follow(`${origin}${returnTo}`, jar, `${origin}/gate/sign-in`)).response).toBeUndefined();
    for (const [name, value] of (await browserOf()).cookies) jar.cookies.set(name, value);
    const end = await follow(`${origin}${returnTo}`, jar, `${wiki.origin}/callback`);
    expect(end.response).toBeUndefined();
    expect((await wiki.relyingParty.finishSignIn({ method: 'GET', url: end.url }, pending)).identity.issuer).toBe(issuer);
    const recent = await signInAt(wiki, jar, { maxAgeSeconds: 3600 });
    expect(Number(recent.claims.auth_time)).toBeGreaterThan(0);
  });

  test('gets another subject and session for another person in the same browser', async () => {
    const jar = await browserOf();
    const first = await signInAt(wiki, jar);
    for (const [name, value] of (await browserOf({ subject: 'bob' })).cookies) jar.cookies.set(name, value);
    const second = await signInAt(wiki, jar);
    expect(second.identity.subject).not.toBe(first.identity.subject);
    expect(decodeJwt(second.tokens.idToken ?? '').sid).not.toBe(decodeJwt(first.tokens.idToken ?? '').sid);
    // What the first one was given is not the second one's to lose.
    expect(await wiki.relyingParty.fetchUserInfo(first)).toMatchObject({ sub: first.identity.subject });
  });
});

describe('what an application is given', () => {
  const refused = { providerError: 'invalid_grant' };

  test('a code works once, even for two at once, and a reused one revokes its tokens', async () => {
    const jar = await browserOf();
    const { url, pending } = await wiki.relyingParty.startSignIn();
    const end = await follow(url.href, jar, `${wiki.origin}/callback`);
    const form = () =>
      fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`wiki:${encodeURIComponent(applicationSecret)}`)}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: new URL(end.url).searchParams.get('code') ?? '',
          redirect_uri: `${wiki.origin}/callback`,
          code_verifier: (pending as unknown as { codeVerifier: string }).codeVerifier,
        }),
      });
    const answers = await Promise.all([form(), form(), form(), form()]);
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1);
    const { access_token } = await (answers.find(answer => answer.status === 200) as Response).json();
    expect((await form()).status).toBe(400);
    const me = await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(me.status).toBe(401);
  });

  test('a refresh token works once and ends with the session', async () => {
    const jar = await browserOf();
    const signIn = await signInAt(wiki, jar);
    expect(signIn.tokens.refreshToken).toBeDefined();
    const renewed = await wiki.relyingParty.refresh(signIn);
    expect(renewed.identity).toEqual(signIn.identity);
    await gate.fetch('/gate/sign-out', {
      method: 'POST',
      headers: { cookie: jar.header, 'content-type': 'application/x-www-form-urlencoded' },
    });
    await expect(wiki.relyingParty.refresh(renewed)).rejects.toMatchObject(refused);
    await expect(wiki.relyingParty.fetchUserInfo(renewed)).rejects.toMatchObject({ code: expect.stringMatching(/^OIDC_/) });
  });

  test('a person who lost the group loses what was granted for it', async () => {
    const jar = await browserOf({ groups: ['board'] });
    const signIn = await signInAt(board, jar);
    expect(await board.relyingParty.fetchUserInfo(signIn)).toMatchObject({ groups: ['board'] });
    const reduced = {
      ...gate.input,
      bridge: bridge({
        clients: [
          clientFor(wiki, 'wiki'),
          clientFor(board, 'board', { allow: { provider: 'corp', groups: ['directors'] }, idTokenAlgorithm: 'ES256' }),
        ],
      }),
    };
    await reload(reduced);
    await expect(board.relyingParty.fetchUserInfo(signIn)).rejects.toMatchObject({ code: expect.stringMatching(/^OIDC_/) });
    await reload(gate.input);
    expect(await board.relyingParty.fetchUserInfo(signIn)).toMatchObject({ groups: ['board'] });
  });

  test('a new key in front signs, and tokens by the old one stay valid', async () => {
    const jar = await browserOf();
    const before = await signInAt(wiki, jar);
    const rotated = { ...gate.input, bridge: bridge({ keys: [{ env: 'NEW_KEY' }, { env: 'RSA_KEY' }, { env: 'EC_KEY' }] }) };
    await reload(rotated);
    const after = await signInAt(wiki, jar);
    const kid = (signIn: { tokens: { idToken?: string } }) => decodeProtectedHeader(signIn.tokens.idToken ?? '').kid;
    expect(kid(after)).not.toBe(kid(before));
    const { keys: published } = await (await gate.fetch('/gate/oidc/jwks')).json();
    expect(published.map((key: { kid: string }) => key.kid)).toEqual(expect.arrayContaining([kid(before), kid(after)]));
    const out = await follow(`${issuer}/session/end?id_token_hint=${before.tokens.idToken}`, jar, 'https://op.example');
    expect(out.response?.status).toBe(200);
    await reload(gate.input);
  });
});

describe('what an application must not do', () => {
  test('a wrong secret gets nothing', async () => {
    const answer = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('wiki:wrong')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', redirect_uri: `${wiki.origin}/callback` }),
    });
    expect([answer.status, (await answer.json()).error]).toEqual([401, 'invalid_client']);
  });

  test("an application learns nothing about another's tokens", async () => {
    const signIn = await signInAt(wiki, await browserOf());
    const introspect = async (client: string) => {
      const answer = await fetch(`${issuer}/token/introspection`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client}:${encodeURIComponent(applicationSecret)}`)}` },
        body: new URLSearchParams({ token: signIn.tokens.accessToken }),
      });
      return (await answer.json()).active;
    };
    expect([await introspect('wiki'), await introspect('board')]).toEqual([true, false]);
  });

  test('has no bridge unless it is configured', async () => {
    await using plain = await startGate({ providers: [corp], rules });
    for (const path of ['/gate/oidc/.well-known/openid-configuration', '/gate/oidc/auth', '/gate/oidc/session/end'])
      expect((await plain.fetch(path)).status).toBe(404);
  });

  test('stores no code, token or person in the clear', async () => {
    const signIn = await signInAt(wiki, await browserOf({ subject: 'hush-hush', name: 'Hush Hushington' }));
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(gate.store.slice('sqlite:'.length), { readOnly: true });
    const text = JSON.stringify(database.prepare('SELECT * FROM sign_in_record').all());
    database.close();
    expect(text.length).toBeGreaterThan(1000);
    for (const secret of [
      signIn.tokens.accessToken,
      signIn.tokens.refreshToken ?? '?',
      signIn.identity.subject,
      'hush-hush',
      'Hushington',
    ])
      expect(text).not.toContain(secret);
    for (const secret of [signIn.tokens.accessToken, signIn.tokens.refreshToken ?? '?', applicationSecret])
      expect(JSON.stringify(gate.log)).not.toContain(secret);
  });
});
