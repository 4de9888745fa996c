import { openStore, type SignInStore, StoreError } from '@octavo/sign-in-store';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SamlDoor } from '../../src/sign-in/saml.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve } from '../support/servers.ts';
import { ada, sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { finishSignIn, signIdToken, startSignIn } from '../support/small-sign-in.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const page = { accept: 'text/html' };
let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;

const corp = (more = {}) => corpProvider(provider, more);
const rules = [
  { paths: ['/staff'], allow: { provider: 'corp', groups: ['staff'] } },
  { paths: ['/free'], allow: 'anyone' },
  { paths: ['/**'], allow: 'signed-in' },
];

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  gate = await startGate({ upstream: upstream.origin, providers: [corp()], rules });
});

afterAll(async () => {
  for (const one of [gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

const start = (one: TestGate) => startSignIn(one, '/gate/sign-in?provider=corp&returnTo=/deep');
const idToken = (authorize: URL, more: object = {}) => signIdToken(provider, { authorize }, { groups: ['staff'], ...more });

async function signIn(one: TestGate, claims: object = {}): Promise<Response> {
  const userInfo = { email: 'ada@example.org', email_verified: true };
  const told = { claims: { groups: ['staff'], ...claims }, userInfo, tokens: { refresh_token: 'r0' } };
  return finishSignIn({ gate: one, provider }, await start(one), told);
}

describe('a sign-in that goes wrong', () => {
  test('succeeds first: each test below has one fault', async () => {
    const answer = await signIn(gate);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/deep']);
  });

  test('always uses PKCE S256 and a nonce (CVE-2024-23647)', async () => {
    const { authorize } = await start(gate);
    expect(authorize.searchParams.get('code_challenge_method')).toBe('S256');
    expect(authorize.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(authorize.searchParams.get('nonce')).toBeTruthy();
  });

  test('shows a page with a way on while the provider is down', async () => {
    await using other = await startGate({ providers: [corp(), corp({ id: 'two', name: 'Two', clientId: 'two' })], rules });
    provider.answers.isDown = true;
    const answer = await other.fetch('/gate/sign-in?provider=corp', { headers: page });
    const text = await answer.text();
    provider.answers.isDown = false;
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(text).toContain('The provider is unavailable');
    expect(text).toContain('Sign in another way');
    expect((await other.fetch('/gate/sign-in?provider=corp', { headers: page })).status).toBe(303);
  });

  test('the key set alone is down: a page that says so; with the keys at hand sign-ins go on', async () => {
    await using fresh = await startGate({ upstream: upstream.origin, providers: [corp()], rules });
    provider.answers.isKeySetDown = true;
    const refused = await signIn(fresh);
    const text = await refused.text();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(text).toContain('The provider is unavailable');
    expect(text).toContain('Try Corp again');
    // This gate has seen the key before.
    expect((await signIn(gate)).status).toBe(303);
    provider.answers.isKeySetDown = false;
    expect((await signIn(fresh)).status).toBe(303);
  });

  test('a new key while the key set is down is an outage each time, also when it is not asked for again', async () => {
    await using known = await startGate({ upstream: upstream.origin, providers: [corp()], rules });
    expect((await signIn(known)).status).toBe(303);
    await provider.rotate();
    provider.answers.isKeySetDown = true;
    for (let turn = 0; turn < 5; turn += 1) {
      const unknown = await signIn(known);
      expect(unknown.status).toBe(503);
      expect(await unknown.text()).not.toContain('Contact the site’s administrator');
    }
    provider.answers.isKeySetDown = false;
    expect((await signIn(gate)).status).toBe(303);
  });

  test('refuses a clock that is wrong by 3 minutes, and accepts one within the tolerance', async () => {
    const now = Math.floor(Date.now() / 1000);
    const answer = await signIn(gate, { iat: now + 180, exp: now + 480 });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toMatch(/The clocks of the provider and this site are too far apart\.[\s\S]*OIDC_CLAIM_IAT/);
    expect((await signIn(gate, { iat: now + 20 })).status).toBe(303);
    await using patient = await startGate({
      upstream: upstream.origin,
      providers: [corp({ clockToleranceSeconds: 240 })],
      rules,
    });
    expect((await signIn(patient, { iat: now + 180, exp: now + 480 })).status).toBe(303);
  });

  test('a configuration that was read again changes nothing for a sign-in under way, nor for the next one', async () => {
    const { authorize, cookie } = await start(gate);
    await gate.app.reload(gate.config);
    const token = await idToken(authorize);
    provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: token } });
    const back = `/gate/corp/callback?code=c&state=${authorize.searchParams.get('state')}`;
    expect((await gate.fetch(back, { headers: { ...page, cookie } })).status).toBe(303);
    expect((await signIn(gate)).status).toBe(303);
  });

  test('a configuration that cannot be taken leaves the old one in force, and none of its doors open', async () => {
    const metadata = await serve((_request, response) => void response.writeHead(404).end());
    const doors = vi.spyOn(SamlDoor.prototype, 'close');
    const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { url: metadata.origin } };
    await using steady = await startGate({ upstream: upstream.origin, providers: [corp(), uni], rules });
    const next = steady.readConfig({
      providers: [corp(), { ...uni, name: 'Another' }],
      rules: [{ paths: ['/**'], allow: 'anyone' }],
    });
    // What nobody foresaw, past everything that the configuration's reader refuses.
    await expect(steady.app.reload({ ...next, bridge: { keys: [{}], clients: [] } } as never)).rejects.toThrow();
    expect(doors.mock.contexts.map(door => (door as SamlDoor).name)).toEqual(['Another']);
    expect((await steady.fetch('/x')).status).toBe(401);
    expect(await (await steady.fetch('/gate/sign-in', { headers: page })).text()).toContain('University');
    await steady.app.reload(next);
    expect(doors.mock.contexts.map(door => (door as SamlDoor).name)).toEqual(['Another', 'University']);
    expect((await steady.fetch('/x')).status).toBe(200);
    doors.mockRestore();
    await metadata[Symbol.asyncDispose]();
  });

  test("does not repeat the provider's words when it refuses", async () => {
    const { authorize, cookie } = await start(gate);
    const query = new URLSearchParams({
      error: 'access_denied',
      error_description: '<b>call 0900 now</b>',
      state: authorize.searchParams.get('state') ?? '',
    });
    const answer = await gate.fetch(`/gate/corp/callback?${query}`, { headers: { ...page, cookie } });
    const text = await answer.text();
    expect([answer.status, text.includes('0900')]).toEqual([403, false]);
    expect(text).toContain('The provider did not sign you in');
  });

  test('another browser cannot finish it, and the right one still can', async () => {
    const { authorize, cookie } = await start(gate);
    const { cookie: foreign } = await start(gate);
    const token = await idToken(authorize);
    provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: token } });
    const back = `/gate/corp/callback?code=c&state=${authorize.searchParams.get('state')}`;
    expect((await gate.fetch(back, { headers: { ...page, cookie: foreign } })).status).toBe(400);
    expect((await gate.fetch(back, { headers: { ...page, cookie } })).status).toBe(303);
    expect((await gate.fetch(back, { headers: { ...page, cookie } })).status).toBe(400);
  });

  test('replaces the session that the browser had', async () => {
    const old = await sessionCookie(gate, { issuer: provider.issuer });
    const answer = await gate.fetch('/gate/sign-in?provider=corp', { headers: { ...page, cookie: old } });
    const authorize = new URL(answer.headers.get('location') ?? '');
    const cookie = answer.headers
      .getSetCookie()
      .map(text => text.split(';')[0])
      .join('; ');
    const token = await idToken(authorize);
    provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: token } });
    const done = await gate.fetch(`/gate/corp/callback?code=c&state=${authorize.searchParams.get('state')}`, {
      headers: { ...page, cookie },
    });
    expect(done.status).toBe(303);
    expect((await gate.fetch('/gate/me', { headers: { cookie: old } })).status).toBe(401);
  });
});

describe('front-channel logout', () => {
  const signedIn = async (sid: string) => {
    const answer = await signIn(gate, { sid });
    const cookie =
      answer.headers
        .getSetCookie()
        .find(text => text.startsWith('gate='))
        ?.split(';')[0] ?? '';
    return { cookie, status: async () => (await gate.fetch('/gate/me', { headers: { cookie } })).status };
  };
  const frame = (query: Record<string, string>) => gate.fetch(`/gate/corp/frontchannel-logout?${new URLSearchParams(query)}`);

  test('ends the session by issuer and sid, without any cookie, framed by the provider alone', async () => {
    const [ada, bob] = [await signedIn('sid-one'), await signedIn('sid-two')];
    expect([await ada.status(), await bob.status()]).toEqual([200, 200]);
    const answer = await frame({ iss: provider.issuer, sid: 'sid-one' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-security-policy')).toContain(`frame-ancestors ${provider.issuer}`);
    expect(answer.headers.get('x-frame-options')).toBeNull();
    expect([await ada.status(), await bob.status()]).toEqual([401, 200]);
  });

  test.each([
    ['another issuer', { iss: 'https://evil.example', sid: 'sid-kept' }],
    ['a sid alone', { sid: 'sid-kept' }],
    ['an issuer alone', { iss: 'x' }],
    ['nothing', {}],
  ])('answers 400 to %s and ends nothing', async (_name, query) => {
    const ada = await signedIn('sid-kept');
    expect((await frame(query as Record<string, string>)).status).toBe(400);
    expect(await ada.status()).toBe(200);
  });

  test('without iss and sid ends the session of the cookie, and says so if no cookie came', async () => {
    await gate.app.reload(gate.readConfig({ providers: [corp({ frontChannelSessionRequired: false })] }));
    const ada = await signedIn('sid-cookie');
    const alone = await frame({});
    expect([alone.status, await alone.text()]).toEqual([400, expect.stringContaining('no session cookie')]);
    expect(await ada.status()).toBe(200);
    expect(JSON.stringify(gate.log)).toContain('a front-channel logout named no session and came without a cookie');
    const withCookie = () => gate.fetch('/gate/corp/frontchannel-logout', { headers: { cookie: ada.cookie } });
    const ended = await withCookie();
    expect([ended.status, await ended.text(), await ada.status()]).toEqual([200, 'Signed out.\n', 401]);
    expect((await withCookie()).status).toBe(200);
    await gate.app.reload(gate.config);
  });

  test('never signs in a sid that was signed out', async () => {
    await frame({ iss: provider.issuer, sid: 'sid-late' });
    const answer = await signIn(gate, { sid: 'sid-late' });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('You were signed out')]);
  });
});

describe('refresh', () => {
  const record = async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: provider.issuer, sub: 'ada', aud: 'gate', iat: now - 400, exp: now - 100 };
    const token = await provider.sign(claims);
    return {
      signIn: {
        identity: { issuer: provider.issuer, subject: 'ada' },
        claims,
        tokens: {
          accessToken: 'a',
          tokenType: 'Bearer',
          idToken: token,
          signedIdToken: token,
          refreshToken: `r-${crypto.randomUUID()}`,
        },
      },
    };
  };
  const due = async (one: TestGate) => sessionCookie(one, { issuer: provider.issuer }, await record(), Date.now() - 1000);
  const fresh = async (groups: string[]) => {
    const now = Math.floor(Date.now() / 1000);
    const token = await provider.sign({
      iss: provider.issuer,
      sub: 'ada',
      aud: 'gate',
      iat: now,
      exp: now + 300,
      groups,
    } as never);
    return { status: 200, body: { access_token: 'b', token_type: 'Bearer', id_token: token, refresh_token: 'r2' } };
  };

  test('removes a group that the person lost, and asks once for many requests at once', async () => {
    const cookie = await due(gate);
    let asked = 0;
    provider.answers.token = async () => {
      asked += 1;
      return fresh(['guests']);
    };
    provider.answers.userInfo = { sub: 'ada' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => gate.fetch('/staff', { headers: { cookie } })));
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([403]));
    expect(asked).toBe(1);
    expect((await (await gate.fetch('/gate/me', { headers: { cookie } })).json()).groups).toEqual(['guests']);
  });

  test('ends the session if the provider refuses the refresh token', async () => {
    const cookie = await due(gate);
    provider.answers.token = async () => ({ status: 400, body: { error: 'invalid_grant' } });
    expect((await gate.fetch('/staff', { headers: { cookie } })).status).toBe(401);
    expect(gate.log.at(-1)).toMatchObject({ audit: 'session-ended-at-refresh' });
  });

  test('keeps the session while the provider is down', async () => {
    const cookie = await due(gate);
    provider.answers.isDown = true;
    expect((await gate.fetch('/staff', { headers: { cookie } })).status).toBe(200);
    provider.answers.isDown = false;
  });
});

describe('a store that is down', () => {
  const failing = (real: SignInStore, isDown: () => boolean) =>
    new Proxy(real, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...words: unknown[]) => {
          if (!isDown()) return Reflect.apply(value, target, words);
          // The one method that promises nothing.
          if (name === 'recallSession') throw new StoreError('STORE_UNAVAILABLE');
          return Promise.reject(new StoreError('STORE_UNAVAILABLE'));
        };
      },
    });

  test('in the middle of a sign-in leaves a way to begin it again, and back to where the person wanted to go', async () => {
    const real = await openStore(gate.store);
    let isDown = false;
    await using closed = await startGate(
      { upstream: upstream.origin, providers: [corp()], rules },
      { store: gate.store, overrides: { store: failing(real, () => isDown) } },
    );
    const { authorize, cookie } = await start(closed);
    const token = await idToken(authorize);
    provider.answers.token = async () => {
      isDown = true;
      return { status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: token } };
    };
    provider.answers.userInfo = { sub: 'ada' };
    const callback = `/gate/corp/callback?code=c&state=${authorize.searchParams.get('state')}`;
    const answer = await closed.fetch(callback, { headers: { ...page, cookie } });
    expect([answer.status, answer.headers.getSetCookie().filter(text => /^gate=[^;]/.test(text))]).toEqual([503, []]);
    expect(await answer.text()).toContain('href="/gate/sign-in?provider=corp&amp;returnTo=%2Fdeep">Try again</a>');
    isDown = false;
    expect((await signIn(closed)).headers.get('location')).toBe('/deep');
    await real.close();
  });

  test('closes everything that needs an identity, and recovers by itself', async () => {
    const real = await openStore(gate.store);
    let isDown = false;
    const store = failing(real, () => isDown);
    await using closed = await startGate(
      { upstream: upstream.origin, providers: [corp()], rules },
      { store: gate.store, overrides: { store } },
    );
    const cookie = await sessionCookie(gate, { issuer: provider.issuer });
    const status = async (path: string, headers: Record<string, string> = { cookie }) =>
      (await closed.fetch(path, { headers })).status;
    expect(await status('/x')).toBe(200);
    isDown = true;
    expect(await status('/x')).toBe(503);
    expect(await status('/staff')).toBe(503);
    expect(await status('/gate/me')).toBe(503);
    expect(await status('/gate/check', { cookie, 'x-original-uri': '/x' })).toBe(503);
    expect(await status('/gate/sign-in?provider=corp', { ...page })).toBe(503);
    expect(await status('/gate/readyz')).toBe(503);
    expect(await status('/gate/healthz')).toBe(200);
    const shown = await closed.fetch('/x', { headers: { ...page, cookie } });
    const text = await shown.text();
    expect(text).toContain('so it refused this request');
    expect(text).toContain('href="/x">Try again</a>');
    isDown = false;
    expect(await status('/x')).toBe(200);
    await real.close();
  });

  test('ends what a session has open, for nobody can tell any more whose it is, and nothing else', async () => {
    const real = await openStore(gate.store);
    let isDown = false;
    await using closed = await startGate(
      { upstream: upstream.origin, providers: [corp()], rules: [{ paths: ['/events/free'], allow: 'anyone' }, ...rules] },
      { store: gate.store, overrides: { store: failing(real, () => isDown), watchEveryMs: 20 } },
    );
    const cookie = await sessionCookie(gate, { issuer: provider.issuer });
    const [own, free] = await Promise.all([closed.fetch('/events', { headers: { cookie } }), closed.fetch('/events/free')]);
    expect([own.status, free.status]).toEqual([200, 200]);
    const reader = (free.body as NonNullable<typeof free.body>).getReader();
    isDown = true;
    await expect(own.text()).rejects.toThrow();
    // The first may have come before.
    for (const _time of [1, 2]) expect((await reader.read()).done).toBe(false);
    await reader.cancel();
    await real.close();
  });

  test('keeps secrets out of the log and the audit', async () => {
    await signIn(gate);
    await gate.fetch('/gate/sign-in?email=hush@example.org&code=hush-code', {
      headers: { cookie: 'gate=hush-cookie', authorization: 'Bearer hush-token' },
    });
    const text = JSON.stringify(gate.log);
    expect(text).toContain(ada.subject);
    for (const secret of ['hush', 'a client secret', 'code=', 'state=', '"r0"', 'eyJ']) expect(text).not.toContain(secret);
  });
});
