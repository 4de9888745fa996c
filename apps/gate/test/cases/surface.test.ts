import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bridgeCookies, cookieNames } from '../../src/http/cookies.ts';
import { corp, startGate, type TestGate, testKey } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';

// What an attacker has between the person and the application: the request's octets, and an application that can be made to say things.

const webSocket = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
/** A request as `raw` writes it, that asks for an upgrade. */
const upgrading = (text: string) => text.replace('Connection: close', 'Connection: Upgrade');

let application: TestServer;
let gate: TestGate;
/** Behind https, where cookies have their prefix. */
let secure: TestGate;
const seen: { method: string; url: string; headers: IncomingMessage['headers']; raw: string; body: string }[] = [];
/** What the application answers. */
let answer: { status: number; headers: string[]; body: string };

beforeAll(async () => {
  application = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers, rawHeaders } = request;
    seen.push({ method, url, headers, raw: rawHeaders.join('\n'), body });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  application.server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const { method = '', url = '', headers, rawHeaders } = request;
    seen.push({ method, url, headers, raw: rawHeaders.join('\n'), body: '' });
    const lines = answer.headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${answer.headers[at + 1]}`] : []));
    socket.on('error', () => {});
    socket.end([`HTTP/1.1 ${answer.status} Said`, ...lines, '', answer.body].join('\r\n'));
  });
  const settings = {
    upstream: application.origin,
    providers: [corp],
    rules: [
      { paths: ['/public/**'], allow: 'anyone' },
      { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
      { methods: ['POST'], paths: ['/read/**'], allow: { provider: 'corp', groups: ['admin'] } },
      { methods: ['GET'], paths: ['/read/**'], allow: 'anyone' },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  };
  gate = await startGate(settings);
  secure = await startGate({ ...settings, publicUrl: 'https://notes.example.org' }, { store: gate.store });
});

afterAll(async () => {
  for (const one of [secure, gate, application]) await one?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  seen.length = 0;
  answer = { status: 200, headers: [], body: 'said' };
});

describe('one request is one request for everybody who reads it', () => {
  test.each([
    ['a line that goes on in the next one', 'X-A: 1\r\n X-Auth-Subject: evil'],
    ['a tab that does the same', 'X-A: 1\r\n\tX-Auth-Subject: evil'],
    ['a carriage return inside', 'X-A: 1\rX-Auth-Subject: evil'],
    ['a zero octet inside', 'X-A: 1\u0000'],
    ['a tab before the colon', 'X-Auth-Subject\t: evil'],
    ['no name', ': evil'],
    ['two equal lengths', 'Content-Length: 0\r\nContent-Length: 0'],
    ['a list of lengths', 'Content-Length: 0, 0'],
    ['a length with a sign', 'Content-Length: +0'],
    ['a length in another notation', 'Content-Length: 0x1'],
    ['a coding besides chunked', 'Transfer-Encoding: chunked, gzip'],
    ['a coding below chunked, which nobody would hear of', 'Transfer-Encoding: gzip, chunked'],
    ['the same in two lines', 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked'],
    ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'],
    ['chunked in other octets', 'Transfer-Encoding: \u000bchunked'],
  ])('refuses %s before it reaches the application', async (_name, line) => {
    const text = raw('POST', '/public/x', [line], '0\r\n\r\nGET /admin/x HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await sendRaw(gate.origin, text)).status).toBe(400);
    expect(seen).toEqual([]);
  });

  test.each([
    'http://gate.example/public/x',
    'HTTP://gate.example/gate/me',
    'https://gate.example/gate/check',
    '//gate.example/public/x',
  ])('refuses an absolute address in the request line (%s)', async target => {
    expect((await sendRaw(gate.origin, raw('GET', target))).status).toBe(400);
    expect(seen).toEqual([]);
  });

  test.each(['', 'evil/../x', 'evil@gate.example', 'a b', 'gate.example:80:80', 'gate.example:999999', '[::1', '<x>', 'a"b'])(
    'refuses the Host %j',
    async host => {
      const text = `GET /public/x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect((await sendRaw(gate.origin, text)).status).toBe(400);
      expect(seen).toEqual([]);
    },
  );

  test.each(['gate.example', 'gate_1:4180', '[::1]:80', '127.0.0.1:', 'xn--bcher-kva.example'])(
    'the Host %j is one, though not ours: a proxy in front may name us so',
    async host => {
      const text = `GET /public/x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect((await sendRaw(gate.origin, text)).status).toBe(200);
    },
  );

  test('a WebSocket that brings a body is none: what stands behind its head is a body for everybody', async () => {
    const body = 'GET /admin/x HTTP/1.1\r\nHost: x\r\nX-Auth-Subject: evil\r\n\r\n';
    for (const [method, length] of [
      ['GET', `Content-Length: ${body.length}`],
      ['POST', 'Content-Length: 0'],
    ] as const) {
      const text = upgrading(raw(method, '/public/x', [...webSocket, length], body));
      expect((await sendRaw(gate.origin, text)).status).toBe(200);
      expect(seen[0]?.headers.upgrade).toBeUndefined();
      expect(seen.splice(0)).toMatchObject([{ method, url: '/public/x', body: method === 'GET' ? body : '' }]);
    }
    const chunked = upgrading(raw('GET', '/public/x', [...webSocket, 'Transfer-Encoding: chunked'], '4\r\nbody\r\n0\r\n\r\n'));
    expect((await sendRaw(gate.origin, chunked)).status).toBe(200);
    expect(seen).toMatchObject([{ method: 'GET', body: 'body' }]);
    expect(seen[0]?.headers.upgrade).toBeUndefined();
  });

  test('an application that refuses a WebSocket in chunks is understood: length, cookies and connection as in any answer', async () => {
    answer = {
      status: 403,
      headers: ['Transfer-Encoding', 'chunked', 'Connection', 'keep-alive, X-Hop', 'X-Hop', '1', 'Set-Cookie', 'gate=evil'],
      body: '5\r\nhello\r\n0\r\n\r\n',
    };
    const got = await sendRaw(gate.origin, upgrading(raw('GET', '/public/x', webSocket)));
    expect([got.status, got.body]).toEqual([403, 'hello']);
    expect(got.head.toLowerCase()).not.toMatch(/transfer-encoding|x-hop|keep-alive|gate=evil/);
    expect(got.head).toContain('\r\nConnection: close');
  });
});

describe('what the application hears', () => {
  test.each([
    'Proxy',
    'PROXY',
    'Client-IP',
    'X-Client-IP',
    'X_Client_IP',
    'True-Client-IP',
    'CF-Connecting-IP',
    'X-Cluster-Client-IP',
    'X-Host',
    'X-Scheme',
    'X-Script-Name',
    'Front-End-Https',
  ])('never gets %s of a client', async name => {
    await sendRaw(gate.origin, raw('GET', '/public/x', [`${name}: evil`, 'X-Kept: kept']));
    expect(seen[0]?.raw).toContain('kept');
    expect(seen[0]?.raw).not.toContain('evil');
  });

  test('never gets a cookie of the gate, in any header', async () => {
    const session = await sessionCookie(gate);
    for (const [one, isHttps] of [
      [gate, false],
      [secure, true],
    ] as const) {
      const names = cookieNames(isHttps);
      const bridge = Object.values(bridgeCookies(isHttps));
      const all = [...Object.values(names), `${names.browser}-0123456789ab`, ...bridge, ...bridge.map(name => `${name}.sig`)];
      expect(all.length).toBe(13);
      const ours = all.map(name => `${name}=secret`).join('; ');
      const own = `${isHttps ? '__Host-' : ''}${session}`;
      const lines = [`Cookie: a=1; ${own}; ${ours};b=2`, `Cookie: ${ours}`, `Cookie: c=3;${ours}`];
      await sendRaw(one.origin, raw('GET', '/public/x', lines));
      await sendRaw(one.origin, upgrading(raw('GET', '/public/x', [...webSocket, ...lines])));
    }
    expect(seen.length).toBe(4);
    for (const { raw: all, headers } of seen) {
      expect(all).not.toMatch(/gate|secret/i);
      expect(headers.cookie).toBe('a=1; b=2; c=3');
    }
  });
});

describe('what the person gets from the application', () => {
  test('no cookie of the gate: nobody is signed in or out by an application, or by who can make it say things', async () => {
    const theirs = ['theirs=1; Path=/', 'gated=1'];
    for (const [one, prefix] of [
      [gate, ''],
      [secure, '__Host-'],
    ] as const) {
      const names = ['gate', 'gate-browser', 'gate-leaving', 'gate-bridge'].map(name => `${prefix}${name}`);
      const evil = names.flatMap(name => [`${name}=evil; Path=/`, ` ${name} =evil`, `=${name}=evil`]);
      answer.headers = [...evil, ...theirs].flatMap(cookie => ['Set-Cookie', cookie]);
      expect((await one.fetch('/public/x')).headers.getSetCookie()).toEqual(theirs);
      answer.status = 101;
      answer.headers.push('Connection', 'Upgrade', 'Upgrade', 'websocket');
      const { head } = await sendRaw(one.origin, upgrading(raw('GET', '/public/x', webSocket)));
      expect(head).toMatch(/^HTTP\/1\.1 101 /);
      expect(head).toContain('theirs=1');
      expect(head).not.toContain('evil');
      answer.status = 200;
    }
  });

  test("keeps a person's answers out of shared caches", async () => {
    const cookie = await sessionCookie(gate);
    const control = async (path: string, headers: Record<string, string> = {}) =>
      (await gate.fetch(path, { headers })).headers.get('cache-control');
    answer.headers = ['Cache-Control', 'public, max-age=600, s-maxage=6000'];
    expect(await control('/x', { cookie })).toBe('private, max-age=600');
    expect(await control('/public/x')).toBe('public, max-age=600, s-maxage=6000');
    expect(await control('/public/x', { cookie })).toBe('public, max-age=600, s-maxage=6000');
    answer.headers.push('Vary', 'X-Auth-Subject');
    expect(await control('/public/x', { cookie })).toBe('private, max-age=600');
    answer.headers = [];
    expect(await control('/x', { cookie })).toBe('private');
    expect(await control('/public/x', { cookie })).toBe('private');
    expect(await control('/public/x')).toBeNull();
  });
});

describe('an answer that carries a cookie of the gate', () => {
  const publicHeaders = ['Cache-Control', 'public, max-age=600'];

  test('is kept by no cache that others share: what takes one dead cookie away would sign out everybody', async () => {
    answer.headers = publicHeaders;
    const got = await gate.fetch('/public/x', { headers: { cookie: 'gate=dead' } });
    expect(got.headers.getSetCookie()).toEqual([expect.stringMatching(/^gate=; .*Max-Age=0$/)]);
    expect(got.headers.get('cache-control')).toBe('private, max-age=600');
  });

  test('nor is the session cookie that is sealed anew with a newer key', async () => {
    answer.headers = publicHeaders;
    const keys = ['a newer key for the tests, long enough too', testKey];
    const settings = { upstream: application.origin, providers: [corp], rules: [{ paths: ['/public/**'], allow: 'anyone' }] };
    await using rotated = await startGate(settings, { store: gate.store, keys });
    const got = await rotated.fetch('/public/x', { headers: { cookie: await sessionCookie(gate) } });
    expect(got.headers.getSetCookie()).toEqual([expect.stringMatching(/^gate=[\w-]{60,}; /)]);
    expect(got.headers.get('cache-control')).toBe('private, max-age=600');
  });
});

describe('a proxy in front that does not say everything', () => {
  const check = (headers: Record<string, string>) => gate.fetch('/gate/check', { headers });

  test.each([
    { 'x-original-uri': '/public/x', 'x-forwarded-uri': '/private' },
    { 'x-original-uri': '/private', 'x-forwarded-uri': '/public/x' },
    { 'x-original-uri': '/read/x', 'x-original-method': 'GET', 'x-forwarded-method': 'POST' },
    { 'x-original-uri': '/read/x', 'x-original-method': 'POST', 'x-forwarded-method': 'GET' },
  ])('%j: refuses two headers that disagree', async headers => {
    const refused = await check(headers as Record<string, string>);
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: 'ADDRESS_REFUSED' }]);
  });

  test('without a method only what every method may is let through', async () => {
    const cookie = await sessionCookie(gate);
    const status = async (path: string, more: Record<string, string> = {}) => [
      (await check({ 'x-original-uri': path, ...more })).status,
      (await gate.fetch('/gate/forward', { headers: { 'x-forwarded-uri': path, ...more } })).status,
    ];
    expect(await status('/read/x')).toEqual([401, 401]);
    expect(await status('/read/x', { cookie })).toEqual([403, 403]);
    expect(await status('/read/x', { 'x-original-method': '', 'x-forwarded-method': '' })).toEqual([401, 401]);
    const get = { 'x-original-method': 'GET', 'x-forwarded-method': 'GET' };
    expect(await status('/read/x', get)).toEqual([202, 202]);
    expect(await status('/public/x')).toEqual([202, 202]);
    expect(await status('/x', { cookie })).toEqual([202, 202]);
  });
});

describe('a proxy in front that passes on whatever it is told', () => {
  const both = async (headers: Record<string, string>) => [
    (await gate.fetch('/gate/check', { headers })).status,
    (await gate.fetch('/gate/forward', { headers })).status,
  ];
  const asked = (path: string, method: string) => ({
    'x-original-uri': path,
    'x-forwarded-uri': path,
    'x-original-method': method,
    'x-forwarded-method': method,
  });

  test.each(['post', 'Post', 'PO ST', 'POST ', 'POST,GET', 'GET\t', '-', '_POST', 'P0ST'])(
    'the method %j is refused: an application that reads it as POST must not get it past the rule for POST',
    async method => {
      const [checked, forwarded] = await both({ ...asked('/read/x', 'GET'), ...asked('/read/x', method) });
      // A header's value loses the white space around it.
      if (method.trim() === method) expect([checked, forwarded]).toEqual([403, 400]);
      else expect([checked, forwarded]).toEqual(method.trim() === 'GET' ? [202, 202] : [401, 401]);
    },
  );

  test.each(['PROPFIND', 'M-SEARCH', 'VERSION-CONTROL'])('accepts the method %s', async method => {
    expect(await both(asked('/public/x', method))).toEqual([202, 202]);
  });

  test('a WebSocket that a page of another site opens is refused, as it is without a proxy in front', async () => {
    const cookie = await sessionCookie(gate);
    const opening = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
    const from = (origin: string, more: Record<string, string> = { cookie }) =>
      both({ ...asked('/x', 'GET'), ...opening, origin, ...more });
    expect(await from('https://evil.example')).toEqual([403, 403]);
    expect(await from('null')).toEqual([403, 403]);
    expect(await from(gate.origin)).toEqual([202, 202]);
    // Without a session nothing is done in anybody's name; a program says no origin; what is no WebSocket is the browser's to keep apart.
    const open = { ...asked('/public/x', 'GET'), ...opening, origin: 'https://evil.example' };
    expect(await both(open)).toEqual([202, 202]);
    expect(await both({ ...asked('/x', 'GET'), ...opening, cookie })).toEqual([202, 202]);
    expect(await both({ ...asked('/x', 'GET'), origin: 'https://evil.example', cookie })).toEqual([202, 202]);
  });
});

test('no page of a refusal is an end: where trying again is of no use, it leads to the start page', async () => {
  const pageAt = async (path: string) => (await gate.fetch(path, { headers: { accept: 'text/html' } })).text();
  for (const path of ['/a%2Fb', '/gate/nothing']) expect(await pageAt(path)).toContain('href="/">Go to the start page</a>');
});
