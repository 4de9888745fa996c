import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Application, applicationSecret, clientFor, follow, Jar, startApplication } from '../support/application.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { shownOn } from '../support/shown.ts';

// What an application may ask the gate, and what it hears of a request that it must not make.

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
let origin: string;
let issuer: string;
let wiki: Application;
let gate: TestGate;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  issuer = `${origin}/gate/oidc`;
  wiki = await startApplication(issuer, 'wiki');
  const bridge = {
    keys: [{ env: 'BRIDGE_KEY' }],
    clients: [clientFor(wiki, 'wiki', { scopes: ['email', 'profile', 'groups'] })],
  };
  const env = { BRIDGE_KEY: key, APPLICATION_SECRET: applicationSecret };
  gate = await startGate({ providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }], bridge }, { port, env });
});

afterAll(async () => {
  for (const one of [gate, wiki]) await one?.[Symbol.asyncDispose]();
});

describe('an application', () => {
  test('gets answers that no browser takes for something else, and a dead session goes', async () => {
    const { headers } = await gate.fetch('/gate/oidc/.well-known/openid-configuration');
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
    const asked = await gate.fetch('/gate/oidc/auth?client_id=wiki', { headers: { cookie: 'gate=dead' } });
    expect(asked.headers.getSetCookie()).toContain('gate=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
    expect((await gate.fetch('/gate/oidc/auth?client_id=wiki')).headers.getSetCookie()).toEqual([]);
    expect((await gate.fetch(`/gate/oidc/x/gate/oidc/interaction/${'x'.repeat(21)}`)).status).toBe(404);
  });

  test('hears our own addresses, whatever names a client sends along', async () => {
    const discover = async (headers: Record<string, string> = {}) =>
      (await gate.fetch('/gate/oidc/.well-known/openid-configuration', { headers })).json();
    const ours = await discover();
    expect(ours).toMatchObject({ issuer, token_endpoint: expect.stringMatching(`^${issuer}/`) });
    const names = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    expect(await discover(names)).toEqual(ours);
  });

  test('waits at an address that is only read, and is one of ours', async () => {
    const posted = await gate.fetch(`/gate/oidc/interaction/${'x'.repeat(21)}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    for (const uid of ['x'.repeat(20), 'x'.repeat(65), `${'x'.repeat(21)}/y`])
      expect((await gate.fetch(`/gate/oidc/interaction/${uid}`)).status, uid).toBe(404);
  });

  test('asks by a form, which becomes an address of our own', async () => {
    const send = (body: string, type: string) =>
      gate.fetch('/gate/oidc/auth', { method: 'POST', body, headers: { 'content-type': type } });
    const type = 'application/x-www-form-urlencoded';
    const answer = await send('client_id=wiki&x=%20%2F&client_id=board', `${type}; charset=utf-8`);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/gate/oidc/auth?client_id=wiki&x=+%2F&client_id=board',
    ]);
    for (const other of ['text/plain', `x/${type}`, `${type}x`]) {
      const refused = await send('client_id=wiki', other);
      expect([refused.status, (await refused.json()).message]).toEqual([400, 'an authorization request by POST must be a form']);
    }
    const size = (length: number) => send(`x=${'x'.repeat(length - 2)}`, type);
    expect([(await size(8192)).status, (await size(8193)).status]).toEqual([303, 413]);
  });
});

describe('a request that an application must not make', () => {
  const ask = async (more: Record<string, string | undefined>, jar = new Jar()) => {
    const query = new URLSearchParams({
      client_id: 'wiki',
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${wiki.origin}/callback`,
      state: 's',
      nonce: 'n',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    for (const [name, value] of Object.entries(more))
      if (value === undefined) query.delete(name);
      else query.set(name, value);
    return follow(`${issuer}/auth?${query}`, jar, `${wiki.origin}/callback`);
  };

  test.each([
    ['another redirect_uri', { redirect_uri: 'https://evil.example/callback' }],
    ['a longer redirect_uri', { redirect_uri: 'REGISTERED/../evil' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['an unknown client', { client_id: 'nobody' }],
  ])('shows a page of the gate for %s', async (_name, more) => {
    const changed = Object.fromEntries(
      Object.entries(more).map(([name, value]) => [name, value?.replace('REGISTERED', `${wiki.origin}/callback`)]),
    );
    const { response, url } = await ask(changed);
    expect(response?.status).toBe(400);
    expect(new URL(url).origin).toBe(origin);
    expect(response?.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(['content-type', 'x-frame-options'].map(one => response?.headers.get(one))).toEqual([
      'text/html; charset=utf-8',
      'DENY',
    ]);
    const html = (await response?.text()) ?? '';
    expect(html).not.toContain('undefined');
    expect(shownOn(html)).toEqual([
      new URL(origin).host,
      'The request is not valid',
      'Something in the request is missing or malformed.',
      expect.stringMatching(
        /^An application sent you here with a request that we cannot answer: .*\. Go back to the application and try again, or contact its administrator\.$/,
      ),
      expect.stringMatching(/^invalid_/),
    ]);
  });

  test.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a token in the front channel', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['a scope that it may not have', { scope: 'openid groups', client_id: 'wiki', prompt: 'nonsense' }, 'invalid_request'],
  ])('returns %s to the application as an error', async (_name, more, error) => {
    const { url } = await ask(more as Record<string, string | undefined>);
    const { searchParams, hash } = new URL(url);
    expect(searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')).toBe(error);
  });
});
