import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sealer } from '../../src/sessions/seal.ts';
import { corp, startGate, type TestGate, testKey } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// What went wrong in gates of this kind, each held by a test (advisories by their numbers).

let upstream: Upstream;
let gate: TestGate;
/** The same rules, but nobody in front of it is trusted. */
let open: TestGate;
const page = { accept: 'text/html' };

beforeAll(async () => {
  upstream = await startUpstream();
  const settings = {
    upstream: upstream.origin,
    providers: [corp],
    rules: [
      { paths: ['/public', '/assets/**'], allow: 'anyone' },
      { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
      { paths: ['/mail/**'], allow: { provider: 'corp', emailDomains: ['good.com'] } },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  };
  gate = await startGate(settings);
  open = await startGate({ ...settings, trustedProxies: [] });
});

afterAll(async () => {
  for (const one of [gate, open, upstream]) await one?.[Symbol.asyncDispose]();
});

const check = (headers: Record<string, string>, one = gate) => one.fetch('/gate/check', { headers });

describe('only the path decides', () => {
  test('CVE-2025-54576: a query cannot look like a free path', async () => {
    expect((await check({ 'x-original-uri': '/private?x=/public' })).status).toBe(401);
    expect((await gate.fetch('/private?x=/public')).status).toBe(401);
    expect((await check({ 'x-original-uri': '/public?x=/private' })).status).toBe(202);
  });

  test.each(['/private#/public', '/private%23/public', '/public#', '/#/../admin'])(
    'CVE-2026-41059: %s is refused',
    async target => {
      expect((await check({ 'x-original-uri': target })).status).toBe(403);
      expect((await sendRaw(gate.origin, raw('GET', target))).status).toBe(400);
    },
  );

  test.each([
    '/admin/..;/x',
    '//admin',
    '/x//admin',
    '/%2e%2e/admin',
    '/%2E%2e/admin',
    '/public%2f..%2fadmin',
    '/public%5c..%5cadmin',
    '/public\\..\\admin',
    '/public/../admin',
    '/./admin',
    '/%252e%252e/admin',
    '/adm%00in',
    'http://evil.example/admin',
    '*',
  ])('CVE-2026-48020, CVE-2026-48794: %s is refused, and nothing reaches the application', async target => {
    const before = upstream.seen.length;
    expect((await sendRaw(gate.origin, raw('GET', target))).status).toBe(400);
    expect((await check({ 'x-original-uri': target })).status).toBe(403);
    expect((await gate.fetch('/gate/forward', { headers: { 'x-forwarded-uri': target, ...page } })).status).toBe(400);
    expect(upstream.seen.length).toBe(before);
  });

  test('the octets that were judged are the ones that go on', async () => {
    const cookie = await sessionCookie(gate);
    await gate.fetch('/a%20b/%C3%A9?q=%2F..%2F&x=;', { headers: { cookie } });
    expect(upstream.seen.at(-1)?.url).toBe('/a%20b/%C3%A9?q=%2F..%2F&x=;');
  });
});

describe('only a trusted proxy says what was asked for', () => {
  test('CVE-2026-40575: X-Forwarded-Uri of a client decides nothing', async () => {
    expect(
      (
        await open.fetch('/private', {
          headers: { 'x-forwarded-uri': '/public', 'x-original-uri': '/public', 'x-rewrite-url': '/public' },
        })
      ).status,
    ).toBe(401);
    expect(
      (await gate.fetch('/private', { headers: { 'x-forwarded-uri': '/public', 'x-original-uri': '/public' } })).status,
    ).toBe(401);
    // Two stories, one of them perhaps the client's own: not even a sign-in is offered.
    expect((await check({ 'x-original-uri': '/private', 'x-forwarded-uri': '/public' })).status).toBe(403);
    expect((await check({ 'x-original-uri': '/public' }, open)).status).toBe(403);
    expect((await open.fetch('/gate/forward', { headers: { 'x-forwarded-uri': '/public' } })).status).toBe(403);
  });

  test('a host with the port of its scheme is the same host, with another port it is not', async () => {
    await using https = await startGate({ publicUrl: 'https://gate.example', rules: [{ paths: ['/public'], allow: 'anyone' }] });
    const statusFor = async (host: string) =>
      (await https.fetch('/gate/forward', { headers: { 'x-forwarded-uri': '/public', 'x-forwarded-host': host } })).status;
    for (const host of ['gate.example', 'GATE.example:443']) expect(await statusFor(host), host).toBe(202);
    for (const host of ['gate.example:80', 'gate.example:4443', 'evil:443', 'gate.example:443:443', 'x@gate.example'])
      expect(await statusFor(host), host).toBe(403);
  });

  test('a header that comes twice, or not at all, is refused', async () => {
    const twice = await sendRaw(gate.origin, raw('GET', '/gate/check', ['X-Original-URI: /public', 'X-Original-URI: /private']));
    expect(twice.status).toBe(400);
    expect((await check({})).status).toBe(403);
  });

  test('CVE-2026-35051, -39858, -33433: forwarded headers and their aliases never reach the application', async () => {
    const cookie = await sessionCookie(open);
    const sent = [
      'X-Forwarded-Prefix',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Forwarded-Method',
      'X_Forwarded_Host',
      'X.Forwarded.Proto',
      'Forwarded',
      'X-Original-URL',
      'X-Rewrite-URL',
      'X-HTTP-Method-Override',
      'X-Real-IP',
      'X-Forwarded',
      'Forwarded-For',
      'X-Override-URL',
      'X-Envoy-Original-Path',
      'CF-Connecting-IPv6',
      'Fly-Client-IP',
      'X-Azure-ClientIP',
      'X-ProxyUser-IP',
    ];
    await sendRaw(open.origin, raw('GET', '/x', [`Cookie: ${cookie}`, ...sent.map(name => `${name}: evil`)]));
    const { rawHeaders, headers } = upstream.seen.at(-1)!;
    expect(rawHeaders.join('\n')).not.toContain('evil');
    expect(headers).toMatchObject({
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': new URL(open.origin).host,
    });
  });

  test('CVE-2026-34457: no User-Agent opens anything', async () => {
    for (const agent of ['GoogleHC/1.0', 'kube-probe/1.30', 'ELB-HealthChecker/2.0', 'Prometheus/2.0'])
      expect((await gate.fetch('/private', { headers: { 'user-agent': agent } })).status).toBe(401);
  });

  test('the Host of a request does not choose where it goes', async () => {
    const cookie = await sessionCookie(gate);
    await sendRaw(gate.origin, raw('GET', '/x', [`Cookie: ${cookie}`]));
    expect(upstream.seen.at(-1)?.headers.host).toBe(new URL(gate.origin).host);
    expect((await sendRaw(gate.origin, `GET /public HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`)).status).toBe(
      400,
    );
    expect(
      (await gate.fetch('/gate/forward', { headers: { 'x-forwarded-uri': '/public', 'x-forwarded-host': 'other.example' } }))
        .status,
    ).toBe(403);
  });
});

describe('nobody but the gate says who somebody is', () => {
  const aliases = [
    'X-Auth-Subject',
    'x-auth-subject',
    'X_Auth_Subject',
    'X.Auth.Subject',
    'x-auth_subject',
    'X_AUTH-EMAIL',
    'X-Auth-Groups',
    'X-Auth-Whatever',
    "X'Auth'Name",
    'X~Auth~Groups',
    'X-Auth-Email',
  ];

  test('CVE-2025-64484, CVE-2026-88011: every alias is taken out, with a session and without one', async () => {
    const cookie = await sessionCookie(gate);
    for (const more of [[], [`Cookie: ${cookie}`]]) {
      await sendRaw(
        gate.origin,
        raw('GET', '/public', [...more, ...aliases.flatMap(name => [`${name}: evil`, `${name}:  evil`])]),
      );
      expect(upstream.seen.at(-1)?.rawHeaders.join('\n')).not.toContain('evil');
    }
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-auth-subject': 'ada', 'x-auth-groups': 'staff' });
  });

  test('a name with a space before its colon is no header', async () => {
    expect((await sendRaw(gate.origin, raw('GET', '/public', ['X-Auth-Subject : evil']))).status).toBe(400);
  });

  test('Connection cannot take an identity header out', async () => {
    const cookie = await sessionCookie(gate);
    const text = raw('GET', '/x', [`Cookie: ${cookie}`, 'X-Mine: 1']).replace(
      'Connection: close',
      'Connection: close, X-Auth-Subject, X-Auth-Groups, X-Mine',
    );
    await sendRaw(gate.origin, text);
    const { headers } = upstream.seen.at(-1)!;
    expect(headers).toMatchObject({ 'x-auth-subject': 'ada', 'x-auth-groups': 'staff' });
    expect(headers['x-mine']).toBeUndefined();
  });

  test('CVE-2026-40574: an address with two meanings is in no domain', async () => {
    const cookie = await sessionCookie(gate, { email: { address: 'a@evil.com@good.com', domain: 'good.com' } });
    expect((await gate.fetch('/mail/x', { headers: { cookie } })).status).toBe(403);
  });

  test('a claim with a line break splits no answer', async () => {
    const cookie = await sessionCookie(gate, { name: 'Ada\r\nSet-Cookie: gate=evil', subject: 'a\r\nX-Evil: 1' });
    const answer = await check({ cookie, 'x-original-uri': '/x' });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('x-evil')).toBeNull();
    expect(answer.headers.get('x-auth-name')).toBe("UTF-8''Ada%0D%0ASet-Cookie%3A%20gate%3Devil");
    await gate.fetch('/x', { headers: { cookie } });
    expect(upstream.seen.at(-1)?.headers['x-evil']).toBeUndefined();
  });
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

  test('a cookie cannot be changed, and holds nothing but a sealed id', async () => {
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

  test('after signing out the old cookie is worth nothing', async () => {
    const cookie = await sessionCookie(gate);
    expect((await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } })).status).toBe(200);
    expect((await gate.fetch('/gate/me', { headers: { cookie } })).status).toBe(401);
  });

  test('another site can sign nobody out', async () => {
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

  test('a provider that is switched off lets nobody in, with an old session neither', async () => {
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
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/gate/sign-in?returnTo=%2Fprivate%3Fa%3D1']);
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

describe('HTTP itself', () => {
  test('two lengths, a bare line feed, a broken chunk: refused before anybody reads on', async () => {
    const both =
      'POST /public HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n';
    const before = upstream.seen.length;
    expect((await sendRaw(gate.origin, both)).status).toBe(400);
    expect((await sendRaw(gate.origin, 'GET /public HTTP/1.1\nHost: x\n\n')).status).toBe(400);
    expect((await sendRaw(gate.origin, raw('POST', '/public', ['Content-Length: 1', 'Content-Length: 2'], 'ab'))).status).toBe(
      400,
    );
    expect((await sendRaw(gate.origin, raw('POST', '/public', ['Transfer-Encoding: xchunked'], 'ab'))).status).toBe(400);
    expect(upstream.seen.length).toBe(before);
  });

  test('headers that are too large are a 431', async () => {
    expect((await sendRaw(gate.origin, raw('GET', '/public', [`X-Large: ${'x'.repeat(40_000)}`]))).status).toBe(431);
  });

  test('an upgrade without a session is refused', async () => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
    const text = raw('GET', '/socket', upgrade).replace('Connection: close', 'Connection: Upgrade');
    expect((await sendRaw(gate.origin, text)).status).toBe(401);
    const cookie = await sessionCookie(gate);
    const foreign = raw('GET', '/socket', [...upgrade, `Cookie: ${cookie}`, 'Origin: https://evil.example']).replace(
      'Connection: close',
      'Connection: Upgrade',
    );
    expect((await sendRaw(gate.origin, foreign)).status).toBe(403);
    // An upgrade to HTTP/2 in clear text would carry requests past the rules.
    expect(
      (
        await sendRaw(
          gate.origin,
          raw('GET', '/admin/x', ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA']).replace(
            'Connection: close',
            'Connection: Upgrade, HTTP2-Settings',
          ),
        )
      ).status,
    ).toBe(401);
  });

  test('the gate’s own pages are closed to CONNECT, unknown paths and wrong methods', async () => {
    expect((await sendRaw(gate.origin, raw('CONNECT', 'evil.example:443'))).status).toBe(405);
    expect((await gate.fetch('/gate/nothing')).status).toBe(404);
    expect((await gate.fetch('/gate/check', { method: 'POST' })).status).toBe(405);
    expect((await gate.fetch('/gate/corp/backchannel-logout')).status).toBe(405);
    expect((await gate.fetch('/gate/metrics', { headers: { 'x-forwarded-for': '203.0.113.7' } })).status).toBe(404);
  });
});
