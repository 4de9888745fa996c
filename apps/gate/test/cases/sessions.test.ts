import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sealer } from '../../src/sessions/seal.ts';
import { corp, startGate, type TestGate, testKey } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// What went wrong with sessions in gates of this kind, and on the way to one, each held by a test (advisories by their numbers).

let upstream: Upstream;
let gate: TestGate;
const page = { accept: 'text/html' };

beforeAll(async () => {
  upstream = await startUpstream();
  gate = await startGate({
    upstream: upstream.origin,
    providers: [corp],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

describe('where a person is sent', () => {
  const payloads = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'https:evil.example',
    '/%5cevil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/x\r\nLocation: https://evil.example',
    '.evil.example',
  ];

  test.each(payloads)('CVE-2021-21291: %j leads nowhere else, at whichever door', async payload => {
    const cookie = await sessionCookie(gate);
    for (const name of ['returnTo', 'rd']) {
      const address = `/gate/sign-in?${new URLSearchParams({ [name]: payload })}`;
      const signedIn = await gate.fetch(address, { headers: { ...page, cookie } });
      expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/']);
      const html = await (await gate.fetch(`${address}&notice=over`, { headers: page })).text();
      expect(html).not.toContain('evil');
    }
    for (const path of [`/gate/signed-out?${new URLSearchParams({ after: payload, returnTo: payload, rd: payload })}`])
      expect((await gate.fetch(path, { headers: page })).headers.get('location')).toBeNull();
  });
});

describe('the session', () => {
  test('CVE-2026-34454: a dead or foreign cookie is cleared before anybody signs in', async () => {
    for (const value of [
      'x',
      'A'.repeat(90),
      new Sealer(['another key that is long enough, really']).seal('x'.repeat(43), 'session cookie'),
    ]) {
      const answer = await gate.fetch('/gate/sign-in?notice=over', { headers: { ...page, cookie: `gate=${value}` } });
      expect(answer.headers.getSetCookie()).toContain('gate=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
    }
  });

  test.each(['check', 'forward'])('CVE-2026-25748: no malformed cookie makes /gate/%s say yes', async door => {
    const good = (await sessionCookie(gate)).slice('gate='.length);
    const ask = (cookie: string) =>
      gate.fetch(`/gate/${door}`, {
        headers: { cookie, 'x-forwarded-uri': '/x', 'x-forwarded-method': 'GET', 'x-forwarded-host': new URL(gate.origin).host },
      });
    expect((await ask(`gate=${good}`)).status).toBe(202);
    const sealed = (text: string, purpose: string) => new Sealer([testKey]).seal(text, purpose);
    for (const value of [
      ...[
        '',
        '=',
        '"',
        `"${good}"`,
        `${good}=`,
        `${good};gate=`,
        `${good.slice(0, -1)}`,
        `${good}${good}`,
        '\\',
        '%00',
        '{}',
        '[]',
      ],
      ...[good.toUpperCase(), good.split('').reverse().join(''), 'A'.repeat(9_000), Buffer.alloc(64).toString('base64url')],
      // Sealed by us, for nothing or for something else (CVE-2023-48309).
      ...['', '{}', 'x', 'x'.repeat(43)].map(text => sealed(text, 'session cookie')),
      ...['sign-in under way', 'after sign-out'].map(purpose => sealed('x'.repeat(43), purpose)),
    ]) {
      const { status } = await ask(`gate=${value}`);
      expect([value, status]).toEqual([value, value === `${good};gate=` ? 202 : 401]);
    }
  });

  test('a cookie cannot be changed and contains only a sealed id', async () => {
    const cookie = await sessionCookie(gate);
    const value = cookie.slice('gate='.length);
    expect(value.length).toBeLessThan(200);
    const status = async (text: string) => (await gate.fetch('/gate/me', { headers: { cookie: `gate=${text}` } })).status;
    expect(await status(value)).toBe(200);
    for (let at = 0; at < value.length; at += 7) {
      const other = value[at] === 'A' ? 'B' : 'A';
      expect(await status(`${value.slice(0, at)}${other}${value.slice(at + 1)}`)).toBe(401);
    }
  });

  test('does not accept the old cookie after signing out', async () => {
    const cookie = await sessionCookie(gate);
    expect((await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } })).status).toBe(200);
    expect((await gate.fetch('/gate/me', { headers: { cookie } })).status).toBe(401);
  });

  test('does not let another site sign a person out', async () => {
    const cookie = await sessionCookie(gate);
    await gate.fetch('/gate/sign-out', { headers: { cookie, ...page } });
    const cross = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await gate.fetch('/gate/sign-out', { method: 'POST', headers: cross })).status).toBe(403);
    expect((await gate.fetch('/gate/me', { headers: { cookie } })).status).toBe(200);
  });

  test('keys rotate: the old one is read, the new one writes, and the cookie is sealed anew', async () => {
    const cookie = await sessionCookie(gate);
    const next = 'the next key of the tests, long enough';
    const port = await freePort();
    await using rotated = await startGate(
      { upstream: upstream.origin, providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
      { port, store: gate.store, keys: [next, testKey] },
    );
    const answer = await rotated.fetch('/x', { headers: { cookie } });
    expect(answer.status).toBe(200);
    const [fresh = ''] = answer.headers.getSetCookie();
    const value = /^gate=([^;]+);/.exec(fresh)?.[1] ?? '';
    expect(new Sealer([next]).open(value, 'session cookie')).toBeDefined();
  });

  test('on https the cookie is __Host-, Secure and HttpOnly', async () => {
    await using secure = await startGate({
      publicUrl: 'https://notes.example.org',
      providers: [corp],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
    });
    const [cleared = ''] = (await secure.fetch('/gate/me', { headers: { cookie: '__Host-gate=x' } })).headers.getSetCookie();
    expect(cleared).toBe('__Host-gate=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0');
  });

  test('CVE-2024-39315: who-am-I tells no token', async () => {
    const cookie = await sessionCookie(
      gate,
      {},
      { signIn: { tokens: { idToken: 'hush-id', accessToken: 'hush-access', refreshToken: 'hush-refresh' } } },
    );
    const text = await (await gate.fetch('/gate/me', { headers: { cookie } })).text();
    expect(JSON.parse(text)).toMatchObject({ subject: 'ada', email: 'ada@example.org', groups: ['staff'] });
    expect(text).not.toContain('hush');
  });
});

describe('rules', () => {
  test('Authelia GHSA-x883: a change of rules counts at the next request', async () => {
    const cookie = await sessionCookie(gate);
    await using changing = await startGate(
      { upstream: upstream.origin, providers: [corp], rules: [{ paths: ['/x'], allow: 'signed-in' }] },
      { store: gate.store },
    );
    expect((await changing.fetch('/x', { headers: { cookie } })).status).toBe(200);
    const { readConfig } = await import('../../src/config/read-config.ts');
    const env = { STORE: gate.store, KEY_0: testKey, CLIENT_SECRET: 's' };
    await changing.app.reload(
      readConfig(JSON.stringify({ ...changing.input, rules: [{ paths: ['/x'], allow: 'nobody' }] }), env),
    );
    expect((await changing.fetch('/x', { headers: { cookie } })).status).toBe(403);
  });

  test('lets no one in through a provider that is switched off, even with an old session', async () => {
    const cookie = await sessionCookie(gate);
    await using off = await startGate(
      { upstream: upstream.origin, providers: [{ ...corp, enabled: false }], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
      { store: gate.store },
    );
    expect((await off.fetch('/x', { headers: { cookie } })).status).toBe(401);
    for (const door of ['callback', 'backchannel-logout', 'frontchannel-logout'])
      expect((await off.fetch(`/gate/corp/${door}`)).status).toBe(404);
  });

  test('a provider that was given another issuer does not speak for the people of the old one', async () => {
    const cookie = await sessionCookie(gate);
    await using moved = await startGate(
      {
        upstream: upstream.origin,
        providers: [{ ...corp, issuer: 'https://other.example' }],
        rules: [{ paths: ['/**'], allow: 'signed-in' }],
      },
      { store: gate.store },
    );
    expect((await moved.fetch('/x', { headers: { cookie } })).status).toBe(401);
  });

  test('pages are sent to sign in, everything else is told', async () => {
    const answer = await gate.fetch('/private?a=1', { headers: page });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${gate.origin}/gate/sign-in?returnTo=%2Fprivate%3Fa%3D1`,
    ]);
    const api = await gate.fetch('/private', { headers: { accept: 'application/json' } });
    expect([api.status, await api.json()]).toMatchObject([401, { error: 'SIGN_IN_REQUIRED' }]);
    expect(
      (await gate.fetch('/private', { headers: { ...page, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' } })).status,
    ).toBe(401);
    const forwarded = await gate.fetch('/gate/forward', { headers: { ...page, 'x-forwarded-uri': '/private?a=1' } });
    expect([forwarded.status, forwarded.headers.get('location')]).toEqual([
      303,
      `${gate.origin}/gate/sign-in?returnTo=%2Fprivate%3Fa%3D1`,
    ]);
  });
});
