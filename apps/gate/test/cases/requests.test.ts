import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// What went wrong with requests in gates of this kind, each held by a test (advisories by their numbers).

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
      { paths: ['/drop'], methods: ['POST'], allow: 'anyone' },
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

test('a header of one rule is a stranger’s nowhere: neither under another rule, nor spelled otherwise', async () => {
  await using team = await startGate({
    upstream: upstream.origin,
    providers: [corp],
    rules: [
      { paths: ['/public'], allow: 'anyone' },
      { paths: ['/**'], allow: 'signed-in', headers: { 'Remote-User': 'subject' } },
    ],
  });
  const spoofed = ['Remote-User: evil', 'Remote_User: evil', 'REMOTE.USER: evil'];
  await sendRaw(team.origin, raw('GET', '/public', [...spoofed, 'X-Kept: kept']));
  const open = upstream.seen.at(-1)?.rawHeaders;
  expect([open?.includes('kept'), open?.includes('evil')]).toEqual([true, false]);
  await sendRaw(team.origin, raw('GET', '/x', [...spoofed, `Cookie: ${await sessionCookie(team, { subject: 'ada' })}`]));
  const { url, rawHeaders = [], headers } = upstream.seen.at(-1) ?? {};
  expect([url, headers?.['remote-user'], rawHeaders.includes('evil')]).toEqual(['/x', 'ada', false]);
});

test('a health check of HTTP/1.0 needs no Host, and the application hears ours', async () => {
  expect(await sendRaw(gate.origin, 'GET /gate/healthz HTTP/1.0\r\n\r\n')).toMatchObject({
    status: 200,
    body: '{"status":"ok"}\n',
  });
  expect((await sendRaw(gate.origin, 'GET /public HTTP/1.0\r\n\r\n')).status).toBe(200);
  expect(upstream.seen.at(-1)?.headers.host).toBe(new URL(gate.config.publicUrl).host);
  expect((await sendRaw(gate.origin, 'GET /gate/healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).status).toBe(400);
});

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

  test('and the method: what anyone may send, nobody may read or delete', async () => {
    const statuses = ['POST', 'GET', 'HEAD', 'DELETE'].map(async method => (await gate.fetch('/drop', { method })).status);
    expect(await Promise.all(statuses)).toEqual([200, 401, 401, 401]);
    expect(upstream.seen.at(-1)).toMatchObject({ method: 'POST', url: '/drop' });
  });

  test('forwards exactly the octets that it checked', async () => {
    const cookie = await sessionCookie(gate);
    await gate.fetch('/a%20b/%C3%A9?q=%2F..%2F&x=;', { headers: { cookie } });
    expect(upstream.seen.at(-1)?.url).toBe('/a%20b/%C3%A9?q=%2F..%2F&x=;');
  });
});

describe('takes the requested URL only from a trusted proxy', () => {
  test("CVE-2026-40575: ignores a client's X-Forwarded-Uri", async () => {
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

  test('refuses a header that is duplicated or missing', async () => {
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

  test('does not choose the upstream by the Host header', async () => {
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

describe('only the gate says who a person is', () => {
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

  test('refuses a header name with a space before the colon', async () => {
    expect((await sendRaw(gate.origin, raw('GET', '/public', ['X-Auth-Subject : evil']))).status).toBe(400);
  });

  test('does not let Connection remove an identity header', async () => {
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

  test('a claim with a line break does not split the response', async () => {
    const cookie = await sessionCookie(gate, { name: 'Ada\r\nSet-Cookie: gate=evil', subject: 'a\r\nX-Evil: 1' });
    const answer = await check({ cookie, 'x-original-uri': '/x' });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('x-evil')).toBeNull();
    expect(answer.headers.get('x-auth-name')).toBe("UTF-8''Ada%0D%0ASet-Cookie%3A%20gate%3Devil");
    await gate.fetch('/x', { headers: { cookie } });
    expect(upstream.seen.at(-1)?.headers['x-evil']).toBeUndefined();
  });
});

describe('HTTP itself', () => {
  test('refuses two lengths, a bare line feed and a broken chunk', async () => {
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

  test('answers 431 to headers that are too large', async () => {
    expect((await sendRaw(gate.origin, raw('GET', '/public', [`X-Large: ${'x'.repeat(40_000)}`]))).status).toBe(431);
  });

  test('refuses an upgrade without a session', async () => {
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
    // RFC 9110 §15.5.6: a 405 says what would do.
    const allowed = async (path: string, method: string) => (await gate.fetch(path, { method })).headers.get('allow');
    expect(await allowed('/gate/check', 'POST')).toBe('GET, HEAD');
    expect(await allowed('/gate/sign-in', 'PUT')).toBe('GET, HEAD, POST');
    expect(await allowed('/gate/corp/backchannel-logout', 'GET')).toBe('POST');
    expect((await gate.fetch('/gate/metrics', { headers: { 'x-forwarded-for': '203.0.113.7' } })).status).toBe(404);
  });
});

test('where paths ignore case, nothing that a file system reads as a path of a rule passes it by', async () => {
  await using folding = await startGate({
    upstream: upstream.origin,
    providers: [corp],
    ignorePathCase: true,
    rules: [
      { paths: ['/secret/**'], allow: 'signed-in' },
      { paths: ['/**'], allow: 'anyone' },
    ],
  });
  const before = upstream.seen.length;
  for (const target of ['/%C5%BFecret/x', '/secret.', '/SECRET%20/x', '/secret::$DATA']) {
    expect([target, (await folding.fetch(target)).status]).toEqual([target, 400]);
    expect([target, (await check({ 'x-original-uri': target, 'x-original-method': 'GET' }, folding)).status]).toEqual([
      target,
      403,
    ]);
  }
  expect((await folding.fetch('/Secret/x')).status).toBe(401);
  expect(upstream.seen.length).toBe(before);
  for (const target of ['/stra%C3%9Fe', '/public.', '/a::$b'])
    expect([target, (await folding.fetch(target)).status]).toEqual([target, 200]);
});
