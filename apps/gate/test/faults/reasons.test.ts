import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkState } from '../../src/state.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { finishSignIn, startSignIn } from '../support/small-sign-in.ts';

// What an operator finds in the log, and a person on the page, who cannot sign in.

const page = { accept: 'text/html' };
const rules = [{ paths: ['/**'], allow: 'signed-in' }];
let provider: SmallProvider;
let gate: TestGate;

beforeAll(async () => {
  provider = await startSmallProvider();
  gate = await startGate({ providers: [corpProvider(provider)], rules });
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  gate.log.length = 0;
});

const callback = (query: Record<string, string>) => `/gate/corp/callback?${new URLSearchParams(query)}`;
const failures = (one: TestGate = gate) => one.log.filter(line => line.audit === 'sign-in-failed');

const signIn = async (claims: object): Promise<Response> => finishSignIn({ gate, provider }, await startSignIn(gate), { claims });

describe('an answer that belongs to no sign-in', () => {
  test('is in the log; without any cookie the person is told that the browser may block them', async () => {
    const { authorize } = await startSignIn(gate);
    const state = authorize.searchParams.get('state') ?? '';
    const answer = await gate.fetch(callback({ code: 'c', state }), { headers: page });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Allow cookies for this site')]);
    expect(failures()).toMatchObject([{ provider: 'corp', reason: 'SIGN_IN_EXPIRED', why: 'no cookie', client: '127.0.0.1' }]);
  });

  test('with a cookie it was used, took too long, or began elsewhere', async () => {
    const cookie = `gate-browser=${'x'.repeat(32)}`;
    const answer = await gate.fetch(callback({ code: 'c', state: 's'.repeat(32) }), { headers: { ...page, cookie } });
    expect(await answer.text()).toContain('That sign-in was already used, took too long or started in another browser.');
    expect(failures()).toMatchObject([{ provider: 'corp', reason: 'SIGN_IN_EXPIRED', why: 'not under way' }]);
  });

  test('at one provider is none for a sign-in that is under way at another one, which learns nothing of it', async () => {
    await using second = await startSmallProvider();
    const other = { ...corpProvider(second), id: 'other' };
    await using two = await startGate({ providers: [corpProvider(provider), other], rules });
    const { authorize, cookie } = await startSignIn(two);
    const state = authorize.searchParams.get('state') ?? '';
    const answer = await two.fetch(`/gate/other/callback?${new URLSearchParams({ code: 'c', state })}`, {
      headers: { ...page, cookie },
    });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('already used')]);
    expect(failures(two)).toMatchObject([{ provider: 'other', reason: 'SIGN_IN_EXPIRED', why: 'not under way' }]);
    expect(second.requests).not.toContain('/token');
  });

  test('a tile of a SAML provider is told as that, however it names what it wants', async () => {
    const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { file: '/nowhere.xml' } };
    await using one = await startGate({ providers: [uni, corpProvider(provider)], rules });
    for (const relayState of [undefined, 'https://gate.example/start']) {
      const body = new URLSearchParams({ SAMLResponse: 'x', ...(relayState === undefined ? {} : { RelayState: relayState }) });
      const answer = await one.fetch('/gate/uni/acs', { method: 'POST', body, headers: page });
      expect(answer.headers.get('location')).toBe('/gate/sign-in?notice=begun');
    }
    expect(await (await one.fetch('/gate/sign-in?notice=begun', { headers: page })).text()).toContain('sign-ins start here');
    expect(failures(one)).toMatchObject([{ why: 'begun at the provider' }, { why: 'begun at the provider' }]);
  });

  test('a process with other keys than the one in which it began says so', async () => {
    const { authorize, cookie } = await startSignIn(gate);
    const other = { store: gate.store, keys: ['the key of another process, by mistake'] };
    await using second = await startGate({ providers: [corpProvider(provider)], rules }, other);
    const state = authorize.searchParams.get('state') ?? '';
    expect((await second.fetch(callback({ code: 'c', state }), { headers: { ...page, cookie } })).status).toBe(400);
    expect(failures(second)).toMatchObject([{ why: 'sealed with a key that is not in session.keys of this process' }]);
  });
});

describe('what the provider refused', () => {
  test('its error code is in the log, its words are not: they came through the browser', async () => {
    const { authorize, cookie } = await startSignIn(gate);
    const state = authorize.searchParams.get('state') ?? '';
    const query = { error: 'unauthorized_client', error_description: 'ada@example.org may not', state };
    expect((await gate.fetch(callback(query), { headers: { ...page, cookie } })).status).toBe(403);
    expect(failures()).toMatchObject([{ reason: 'OIDC_PROVIDER_ERROR', providerError: 'unauthorized_client' }]);
    expect(JSON.stringify(gate.log)).not.toContain('may not');
  });

  test('a program gets the code of the reason beside ours', async () => {
    const { authorize, cookie } = await startSignIn(gate);
    const state = authorize.searchParams.get('state') ?? '';
    const answer = await gate.fetch(callback({ error: 'access_denied', state }), { headers: { cookie } });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'SIGN_IN_REFUSED', reason: 'OIDC_PROVIDER_ERROR', message: expect.any(String) },
    ]);
  });

  test('a wrong client secret is told as the token endpoint tells it', async () => {
    const { authorize, cookie } = await startSignIn(gate);
    const words = 'AADSTS7000215: Invalid client secret provided.';
    provider.answers.token = async () => ({ status: 401, body: { error: 'invalid_client', error_description: words } });
    const state = authorize.searchParams.get('state') ?? '';
    const answer = await gate.fetch(callback({ code: 'c', state }), { headers: { ...page, cookie } });
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('OIDC_TOKEN_ERROR')]);
    expect(failures()).toMatchObject([
      { reason: 'OIDC_TOKEN_ERROR', providerError: 'invalid_client', providerDescription: words },
    ]);
  });
});

test.each([
  ['ahead of the provider', { iat: -700, exp: -400 }, 'OIDC_TOKEN_EXPIRED'],
  ['behind it', { iat: 400, exp: 700 }, 'OIDC_CLAIM_IAT'],
])('a clock %s is told as that, to the person too', async (_name, { iat, exp }, code) => {
  const now = Math.floor(Date.now() / 1000);
  const text = await (await signIn({ iat: now + iat, exp: now + exp })).text();
  expect(text).toContain('The clocks of the provider and this site are too far apart.');
  expect(text).toContain(code);
});

test('a refusal by a rule names the rule and the address that it was told to', async () => {
  await using closed = await startGate({
    rules: [
      { paths: ['/a'], allow: 'anyone' },
      { paths: ['/**'], allow: 'nobody' },
    ],
  });
  const headers = { 'x-original-uri': '/b', 'x-forwarded-for': '203.0.113.7' };
  expect((await closed.fetch('/gate/check', { headers })).status).toBe(403);
  expect(closed.log.filter(line => line.audit === 'refused')).toMatchObject([{ why: 'nobody', rule: 2, client: '203.0.113.7' }]);
});

test('a check of the configuration finds a metadata file that cannot be read', () => {
  const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { file: '/nowhere.xml' } };
  expect(() => checkState(gate.readConfig({ providers: [uni], rules }))).toThrow(
    'providers[0].metadata.file: the file /nowhere.xml cannot be read: ENOENT',
  );
});

describe('a logout message that is refused', () => {
  test.each([
    [
      'through the back channel',
      '/gate/corp/backchannel-logout',
      { method: 'POST', body: new URLSearchParams({ logout_token: 'x' }) },
    ],
    ['through a frame', '/gate/corp/frontchannel-logout?iss=https://other.example&sid=1', {}],
  ])('%s is in the log, with its code', async (_name, path, init) => {
    expect((await gate.fetch(path, init)).status).toBe(400);
    expect(gate.log).toMatchObject([
      { level: 'warn', message: 'a logout message was refused', provider: 'corp', code: expect.stringMatching(/^OIDC_/) },
    ]);
  });
});

test('a sender that leaves in the middle of a form is no failure of ours', async () => {
  const { hostname, port } = new URL(gate.origin);
  const socket = connect(Number(port), hostname);
  socket.write('POST /gate/corp/backchannel-logout HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nlogout');
  await new Promise(resolve => setTimeout(resolve, 200));
  socket.destroy();
  // A later request is answered after the end of that one was noticed.
  await expect.poll(async () => (await gate.fetch('/gate/healthz')).status).toBe(200);
  await new Promise(resolve => setTimeout(resolve, 200));
  expect(gate.log.filter(line => line.level === 'error')).toEqual([]);
});

describe('a web server in front that is not set up right', () => {
  const faults = () => gate.log.filter(line => line.message === 'the gate cannot answer the proxy in front');

  test('an address that is not trusted is in the log once, with what to do: the web server shows nothing of our answer', async () => {
    await using strict = await startGate({ trustedProxies: ['10.0.0.1'] });
    for (const path of ['/gate/check', '/gate/forward', '/gate/check'])
      expect((await strict.fetch(path, { headers: { 'x-original-uri': '/' } })).status).toBe(403);
    expect(strict.log.filter(line => line.level === 'warn')).toMatchObject([
      { message: 'the gate cannot answer the proxy in front', why: '127.0.0.1 is not in trustedProxies' },
    ]);
  });

  test('one that does not say which address is requested, or says two', async () => {
    await gate.fetch('/gate/check');
    await gate.fetch('/gate/forward');
    await gate.fetch('/gate/check', { headers: { 'x-original-uri': '/a', 'x-forwarded-uri': '/b' } });
    expect(faults()).toMatchObject([
      { why: 'the proxy in front did not say which address is requested' },
      { why: expect.stringMatching(/^X-Original-… and X-Forwarded-… contradict each other/) },
    ]);
  });
});
