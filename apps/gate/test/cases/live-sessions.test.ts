import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Sealer } from '../../src/sessions/seal.ts';
import { startGate, type TestGate, testKey } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// A session that was used a moment ago is not looked up again. Whatever ends or changes it counts at the next request all the same.

const rules = [{ paths: ['/**'], allow: 'signed-in' }];
const nextKey = 'the next key of the tests, long enough';
let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;
/** With another key in front, on https. */
let secure: TestGate;
/** What the gate's clock shows; the time of day if undefined. */
let clock: number | undefined;

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { file: '/nowhere.xml' } };
  const exchange = { tokenEndpoint: 'https://op.example/token', clientId: 'x', clientSecret: { env: 'CLIENT_SECRET' } };
  const settings = {
    upstream: upstream.origin,
    providers: [corpProvider(provider), { ...uni, tokenExchange: { ...exchange, header: 'X-Access-Token' } }],
    rules,
  };
  gate = await startGate(settings, { overrides: { now: () => new Date(clock ?? Date.now()) } });
  secure = await startGate(
    { ...settings, publicUrl: 'https://notes.example.org' },
    { store: gate.store, keys: [nextKey, testKey] },
  );
});

beforeEach(() => {
  clock = undefined;
});

afterAll(async () => {
  for (const one of [secure, gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

const me = () => ({ issuer: provider.issuer });
/** The session has been used, so that the gate remembers it. */
async function used(record: unknown = {}, refreshAt?: number): Promise<string> {
  const cookie = await sessionCookie(gate, me(), record, refreshAt);
  expect([await status(cookie), await status(cookie)]).toEqual([200, 200]);
  return cookie;
}
const status = async (cookie: string) => (await gate.fetch('/x', { headers: { cookie } })).status;

test('a provider that is given another issuer, or is switched off, speaks for nobody from then on', async () => {
  const cookie = await used();
  const lab = { ...corpProvider(provider), id: 'lab', clientId: 'lab' };
  for (const providers of [
    [{ ...corpProvider(provider), issuer: 'https://other.example' }],
    [{ ...corpProvider(provider), enabled: false }, lab],
  ]) {
    await gate.app.reload(gate.readConfig({ providers }));
    expect(await status(cookie)).toBe(401);
    await gate.app.reload(gate.config);
    expect(await status(cookie)).toBe(200);
  }
});

test('a session whose renewal is due is renewed before it counts', async () => {
  const claims = { iss: provider.issuer, sub: 'ada', aud: 'gate' };
  const idToken = await provider.sign(claims);
  const tokens = { accessToken: 'a', tokenType: 'Bearer', idToken, signedIdToken: idToken, refreshToken: crypto.randomUUID() };
  const signIn = { identity: { issuer: provider.issuer, subject: 'ada' }, claims, tokens };
  const due = Date.now() + 60_000;
  const cookie = await sessionCookie(gate, me(), { signIn }, due);
  clock = due - 500;
  for (const _time of [1, 2]) expect(await status(cookie)).toBe(200);
  provider.answers.token = async () => ({ status: 400, body: { error: 'invalid_grant' } });
  // The store remembers it still.
  clock = due;
  const answer = await gate.fetch('/x', { headers: { cookie } });
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, ['gate=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']]);
});

test('nothing is written over a cookie by the newest key, whichever stand beside it', async () => {
  const cookie = await used();
  for (const sent of [cookie, `gate=x; ${cookie}`, `${cookie}; gate=x`]) {
    const answer = await gate.fetch('/x', { headers: { cookie: sent } });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
  }
});

test('on https a cookie that is sealed anew is as closed as the first one', async () => {
  const old = `__Host-${await sessionCookie(gate, me())}`;
  const headers = { cookie: old, 'x-forwarded-uri': '/x' };
  const [fresh = '', ...more] = (await secure.fetch('/gate/forward', { headers })).headers.getSetCookie();
  expect(fresh).toMatch(/^__Host-gate=[\w-]{80,}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(more).toEqual([]);
  const value = /=([^;]+)/.exec(fresh)?.[1] ?? '';
  expect(new Sealer([nextKey]).open(value, 'session cookie')).toBeDefined();
  const again = await secure.fetch('/gate/forward', { headers: { ...headers, cookie: `__Host-gate=${value}` } });
  expect([again.status, again.headers.getSetCookie()]).toEqual([202, []]);
  // A browser that did not get the new one sends the old one of a session that is remembered by now.
  const late = await secure.fetch('/gate/forward', { headers });
  expect([late.status, late.headers.getSetCookie().length]).toEqual([202, 1]);
});

test('an access token from an assertion goes along with its own session, and with no other', async () => {
  const uni = { provider: 'uni', issuer: 'https://uni.example' };
  const { issuer } = provider;
  const record = (more: object = {}) => ({ nameId: { value: 'ada' }, accessToken: { value: 'for the application', ...more } });
  const sent = async (cookie: string) => {
    const answer = await gate.fetch('/x', { headers: { cookie, 'x-access-token': 'evil' } });
    return [answer.status, upstream.seen.at(-1)?.headers['x-access-token']];
  };
  expect(await sent(await sessionCookie(gate, uni, record()))).toEqual([200, 'for the application']);
  expect(await sent(await sessionCookie(gate, uni, record({ until: Date.now() - 1 })))).toEqual([200, undefined]);
  expect(await sent(await sessionCookie(gate, { issuer }, record()))).toEqual([200, undefined]);
});

test('what a browser calls its secret is replaced if it has another shape', async () => {
  const secrets = async (cookie: string) => {
    const answer = await gate.fetch('/gate/sign-in?provider=corp', { headers: { accept: 'text/html', cookie } });
    return answer.headers.getSetCookie().filter(text => text.startsWith('gate-browser'));
  };
  const fresh = [
    expect.stringMatching(/^gate-browser=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/),
    expect.stringMatching(/^gate-browser-[0-9a-f]{12}=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900$/),
  ];
  expect(await secrets('')).toEqual(fresh);
  expect(await secrets('gate-browser=short')).toEqual(fresh);
  expect(await secrets(`gate-browser=short; gate-browser=${'s'.repeat(32)}`)).toEqual([]);
  const state = 's'.repeat(32);
  const back = await gate.fetch(`/gate/corp/callback?code=c&state=${state}`, {
    headers: { accept: 'text/html', cookie: 'gate-browser=short' },
  });
  expect(back.status).toBe(400);
});
