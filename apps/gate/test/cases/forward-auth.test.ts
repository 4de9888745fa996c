import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';

// Whole answers to a web server in front, which acts on the status and passes on what else it is told.

const page = { accept: 'text/html' };
const publicUrl = 'https://notes.example.org';
let gate: TestGate;
let cookie: string;

const rules = [
  { paths: ['/public/**'], allow: 'anyone' },
  { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
  { paths: ['/closed'], allow: 'nobody' },
  { methods: ['POST', 'DELETE'], paths: ['/read/**'], allow: { provider: 'corp', groups: ['admin'] } },
  { methods: ['GET'], paths: ['/read/**'], allow: 'anyone' },
  { methods: ['GET', 'POST', 'DELETE'], paths: ['/named/**'], allow: 'anyone' },
  { paths: ['/api/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp', scopes: ['api'] }] },
  { paths: ['/**'], allow: 'signed-in' },
];

beforeAll(async () => {
  const provider = { ...corp, accessTokens: { audience: 'api' } };
  gate = await startGate({ publicUrl, providers: [provider], rules });
  cookie = `__Host-${await sessionCookie(gate)}`;
});

beforeEach(() => {
  gate.log.length = 0;
});

afterAll(() => gate?.[Symbol.asyncDispose]());

const check = async (headers: Record<string, string>) => {
  const answer = await gate.fetch('/gate/check', { headers });
  const text = await answer.text();
  return [answer.status, text === '' ? undefined : JSON.parse(text), answer.headers.get('www-authenticate')];
};
const forward = (headers: Record<string, string>) => gate.fetch('/gate/forward', { headers });
const faults = () => gate.log.filter(line => line.message === 'the gate cannot answer the proxy in front');

describe('a web server that asks by /gate/check', () => {
  test('hears who comes, in headers', async () => {
    const answer = await gate.fetch('/gate/check', { headers: { 'x-original-uri': '/x', 'x-original-method': 'GET', cookie } });
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    const told = Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('x-auth-')));
    expect(told).toEqual({
      'x-auth-subject': 'ada',
      'x-auth-issuer': 'https://op.example',
      'x-auth-email': 'ada@example.org',
      'x-auth-name': 'Ada',
      'x-auth-groups': 'staff',
    });
    const anyone = await gate.fetch('/gate/check', { headers: { 'x-original-uri': '/public/x' } });
    expect([anyone.status, [...anyone.headers.keys()].filter(name => name.startsWith('x-auth-'))]).toEqual([202, []]);
  });

  test.each([
    ['/x?a=1', 401, { error: 'SIGN_IN_REQUIRED', signIn: '/gate/sign-in?returnTo=%2Fx%3Fa%3D1' }, 'Cookie realm="gate"'],
    ['/', 401, { error: 'SIGN_IN_REQUIRED', signIn: '/gate/sign-in' }, 'Cookie realm="gate"'],
    ['/api/x', 401, { error: 'SIGN_IN_REQUIRED', signIn: '/gate/sign-in?returnTo=%2Fapi%2Fx' }, 'Bearer realm="gate"'],
    ['/closed', 403, { error: 'FORBIDDEN', why: 'nobody' }, null],
    ['/a%2Fb', 403, { error: 'ADDRESS_REFUSED', message: 'the path contains an encoded slash' }, null],
    ['', 403, { error: 'ADDRESS_REFUSED', message: 'the proxy in front did not say which address is requested' }, null],
  ])('about %j hears %i %j', async (uri, status, body, challenge) => {
    expect(await check({ 'x-original-uri': uri })).toEqual([status, body, challenge]);
    expect(await check({ 'x-forwarded-uri': uri })).toEqual([status, body, challenge]);
  });

  test('about a person who may not hears why, and no more', async () => {
    expect(await check({ 'x-original-uri': '/admin/x', cookie })).toEqual([403, { error: 'FORBIDDEN', why: 'not-among' }, null]);
    expect(gate.log).toMatchObject([
      { audit: 'refused', why: 'not-among', rule: 2, method: 'GET', provider: 'corp', subject: 'ada', client: '127.0.0.1' },
    ]);
  });

  test('about a WebSocket of another site hears that', async () => {
    const socket = { 'x-original-uri': '/x', 'sec-websocket-version': '13', origin: 'https://evil.example', cookie };
    expect(await check(socket)).toEqual([403, { error: 'CROSS_SITE' }, null]);
  });

  test('hears of a method that is none, and of two that contradict each other', async () => {
    const noMethod = 'the method is not in capital letters, so the rules and the application could read it differently';
    expect(await check({ 'x-original-uri': '/public/x', 'x-original-method': 'get' })).toEqual([
      403,
      { error: 'ADDRESS_REFUSED', message: noMethod },
      null,
    ]);
    const contradiction =
      'X-Original-… and X-Forwarded-… contradict each other: the proxy in front must set both, or remove the one it does not set';
    for (const more of [
      { 'x-forwarded-uri': '/public/y' },
      { 'x-original-method': 'GET', 'x-forwarded-method': 'HEAD' },
    ] as Record<string, string>[])
      expect(await check({ 'x-original-uri': '/public/x', ...more })).toEqual([
        403,
        { error: 'ADDRESS_REFUSED', message: contradiction },
        null,
      ]);
    expect(faults().map(({ level, why }) => [level, why])).toEqual([['warn', contradiction]]);
    // What is the same twice is no contradiction.
    const same = { 'x-original-uri': '/x', 'x-forwarded-uri': '/x', 'x-original-method': 'GET', 'x-forwarded-method': 'GET' };
    expect((await check({ ...same, cookie }))[0]).toBe(202);
  });

  test.each([
    ['/read/x', 403],
    ['/named/x', 202],
    ['/x', 202],
    ['/public/x', 202],
  ])('without a method about %s hears what holds for all of them (%i)', async (uri, status) => {
    expect((await check({ 'x-original-uri': uri, cookie }))[0]).toBe(status);
  });

  test('with an empty one hears the same', async () => {
    expect((await check({ 'x-original-uri': '/read/x', 'x-original-method': '', cookie }))[0]).toBe(403);
    expect((await forward({ 'x-forwarded-uri': '/public/x' })).status).toBe(202);
    const metrics = await (await gate.fetch('/gate/metrics')).text();
    for (const mode of ['check', 'forward']) expect(metrics).toContain(`gate_decisions_total{decision="allow",mode="${mode}"}`);
  });

  test('without a method is asked about methods that no rule names, too', async () => {
    // Only the last rule is for them.
    expect((await check({ 'x-original-uri': '/named/x' }))[0]).toBe(401);
    expect((await check({ 'x-original-uri': '/named/x', 'x-original-method': 'DELETE' }))[0]).toBe(202);
    expect((await check({ 'x-original-uri': '/read/x', 'x-original-method': 'GET' }))[0]).toBe(202);
    expect((await check({ 'x-original-uri': '/read/x', 'x-original-method': 'DELETE' }))[0]).toBe(401);
  });
});

describe('a web server that asks by /gate/forward', () => {
  test('hears who comes, in headers', async () => {
    const answer = await forward({ 'x-forwarded-uri': '/x', cookie });
    expect([answer.status, answer.headers.get('x-auth-subject'), answer.headers.get('cache-control')]).toEqual([
      202,
      'ada',
      'no-store',
    ]);
  });

  test.each([
    ['/x', {}, 401, 'SIGN_IN_REQUIRED', 'You need to sign in to open this address.'],
    ['/a%2Fb', {}, 400, 'ADDRESS_REFUSED', 'the path contains an encoded slash'],
    ['', {}, 400, 'ADDRESS_REFUSED', 'the proxy in front did not say which address is requested'],
    [
      '/x',
      { 'x-forwarded-method': 'get' },
      400,
      'BAD_REQUEST',
      'the method is not in capital letters, so the rules and the application could read it differently',
    ],
    ['/x', { 'x-forwarded-host': 'evil.example' }, 403, 'FORBIDDEN', 'The gate does not serve this host.'],
  ] as [string, Record<string, string>, number, string, string][])(
    'about %j with %j hears %i %s',
    async (uri, more, status, error, message) => {
      const answer = await forward({ 'x-forwarded-uri': uri, ...more });
      expect([answer.status, await answer.json()]).toMatchObject([status, { error, message }]);
    },
  );

  test('about a WebSocket of another site refuses it', async () => {
    const socket = { 'x-forwarded-uri': '/x', 'sec-websocket-version': '13', origin: 'https://evil.example', cookie };
    const answer = await forward(socket);
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'CROSS_SITE', message: 'Another site started this request, so we did not carry it out.' },
    ]);
  });

  test('a page that may not is shown, with its way back', async () => {
    const answer = await forward({ ...page, 'x-forwarded-uri': '/admin/x?a=1', cookie });
    const lines = shownOn(await answer.text());
    expect([answer.status, lines]).toEqual([
      403,
      [
        'notes.example.org',
        'Access denied',
        'Your account doesn’t have access to this address.',
        'You are signed in as ada@example.org. Sign in with another account, or ask the site’s administrator for access.',
        'Sign in with another account -> /gate/sign-in?another=1&returnTo=%2Fadmin%2Fx%3Fa%3D1',
        'Sign out -> /gate/sign-out',
        expect.stringMatching(/^FORBIDDEN · [0-9a-f]{8}$/),
      ],
    ]);
  });

  test.each([
    ['GET', {}, `${publicUrl}/gate/sign-in?returnTo=%2Fx`],
    ['HEAD', {}, `${publicUrl}/gate/sign-in?returnTo=%2Fx`],
    ['', {}, `${publicUrl}/gate/sign-in?returnTo=%2Fx`],
    ['POST', {}, `${publicUrl}/gate/sign-in?notice=form`],
    ['POST', { 'sec-fetch-site': 'cross-site', referer: `${publicUrl}/edit` }, `${publicUrl}/gate/sign-in?notice=form`],
    [
      'POST',
      { 'sec-fetch-site': 'same-origin', referer: `${publicUrl}/edit` },
      `${publicUrl}/gate/sign-in?returnTo=%2Fedit&notice=form`,
    ],
    ['DELETE', {}, null],
  ] as [string, Record<string, string>, string | null][])('a page by %j with %j goes to %s', async (method, more, location) => {
    const answer = await forward({ ...page, 'x-forwarded-uri': '/x', 'x-forwarded-method': method, ...more });
    expect([answer.status, answer.headers.get('location')]).toEqual([location === null ? 401 : 303, location]);
  });

  test.each([
    ['GET', 'Go to notes.example.org -> https://notes.example.org/x'],
    ['', 'Go to notes.example.org -> https://notes.example.org/x'],
    ['HEAD', undefined],
    ['POST', undefined],
  ])('another host is shown the way to ours by %s: %s', async (method, link) => {
    const answer = await forward({
      ...page,
      'x-forwarded-uri': '/x',
      'x-forwarded-host': 'other.example',
      'x-forwarded-method': method,
    });
    const lines = shownOn(await answer.text());
    expect([answer.status, lines.find(line => line.includes('->'))]).toEqual([
      403,
      method === 'HEAD' ? 'Go to notes.example.org -> https://notes.example.org/x' : link,
    ]);
    expect(lines).toContain('The gate does not serve this host.');
  });

  test.each(['uri', 'method', 'host'])('two headers of the same name say nothing: x-forwarded-%s', async what => {
    const lines = ['X-Forwarded-Uri: /public/x', 'X-Forwarded-Method: GET', `X-Forwarded-Host: notes.example.org`];
    const twice = lines.filter(line => line.toLowerCase().startsWith(`x-forwarded-${what}`));
    const answer = await sendRaw(gate.origin, raw('GET', '/gate/forward', [...lines, ...twice]));
    expect([answer.status, JSON.parse(answer.body).message]).toEqual([
      400,
      `expected at most one x-forwarded-${what} header, received 2`,
    ]);
    expect((await sendRaw(gate.origin, raw('GET', '/gate/forward', lines))).status).toBe(202);
  });
});

test.each(['check', 'forward'])('a web server that asks by /gate/%s with the Upgrade of a WebSocket is answered', async door => {
  const ask = async (uri: string, lines: string[] = []) => {
    const all = [`X-Forwarded-Uri: ${uri}`, 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', ...lines];
    const text = raw('GET', `/gate/${door}?about=${uri}`, all).replace('Connection: close', 'Connection: Upgrade');
    return (await sendRaw(gate.origin, text)).status;
  };
  expect(await ask('/public/x')).toBe(202);
  expect(await ask('/x')).toBe(401);
  expect(await ask('/x', [`Cookie: ${cookie}`])).toBe(202);
  expect(await ask('/x', [`Cookie: ${cookie}`, 'Origin: https://evil.example'])).toBe(403);
});

test('a port is the default one only of its own scheme', async () => {
  await using plain = await startGate({ publicUrl: 'http://localhost', rules: [{ paths: ['/public'], allow: 'anyone' }] });
  const statusFor = async (host: string) =>
    (await plain.fetch('/gate/forward', { headers: { 'x-forwarded-uri': '/public', 'x-forwarded-host': host } })).status;
  for (const host of ['localhost', 'Localhost:80']) expect(await statusFor(host), host).toBe(202);
  for (const host of ['localhost:443', 'localhost:8080', 'localhost:80:80', 'local:80host'])
    expect(await statusFor(host), host).toBe(403);
});

test('who is not trusted hears nothing, whatever they ask', async () => {
  await using strict = await startGate({ trustedProxies: ['10.0.0.1'], rules: [{ paths: ['/**'], allow: 'anyone' }] });
  for (const door of ['check', 'forward']) {
    const answer = await strict.fetch(`/gate/${door}`, { headers: { 'x-original-uri': '/x', 'x-forwarded-uri': '/x' } });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'UNTRUSTED_PEER', message: '127.0.0.1 is not in trustedProxies' },
    ]);
  }
});
