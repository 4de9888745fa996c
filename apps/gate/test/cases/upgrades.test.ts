import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// A connection that changes its protocol leaves the rules behind: only a WebSocket may.

let upstream: Upstream;
let gate: TestGate;

beforeAll(async () => {
  upstream = await startUpstream();
  gate = await startGate({
    upstream: upstream.origin,
    providers: [{ ...corp, accessTokens: { audience: 'notes' } }],
    rules: [
      { paths: ['/public'], allow: 'anyone' },
      { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
      { paths: ['/api/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

test.each(['h2c', 'websocket, h2c', 'h2c, websocket', 'TLS/1.2', 'foo'])(
  'an upgrade to %s is none: what is asked for is answered, and nothing that comes behind it is read',
  async protocol => {
    const cookie = await sessionCookie(gate);
    for (const [path, more] of [
      ['/public', []],
      ['/x', [`Cookie: ${cookie}`]],
    ] as const) {
      const lines = [`Upgrade: ${protocol}`, 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA', ...more];
      const before = upstream.seen.length;
      const { status } = await sendRaw(
        gate.origin,
        `${raw('GET', path, lines).replace('Connection: close', 'Connection: Upgrade, HTTP2-Settings')}${raw('GET', '/public')}`,
      );
      expect([status, upstream.seen.length]).toEqual([200, before + 1]);
      const { url, headers } = upstream.seen.at(-1) as (typeof upstream.seen)[number];
      expect([url, headers.upgrade, headers['http2-settings']]).toEqual([path, undefined, undefined]);
    }
  },
);

const socketLines = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
/** Asks for a WebSocket. */
const ask = async (path: string, lines: readonly string[] = [], one = gate) => {
  const text = raw('GET', path, [...socketLines, ...lines]).replace('Connection: close', 'Connection: Upgrade');
  const { status, head, body } = await sendRaw(one.origin, text);
  const challenge = /^www-authenticate: (.*)$/im.exec(head)?.[1]?.trim();
  return { status, challenge, said: body === '' ? undefined : JSON.parse(body) };
};

test('a WebSocket is refused like any request, before the application hears of it', async () => {
  const before = upstream.seen.length;
  const cookie = `Cookie: ${await sessionCookie(gate)}`;
  expect(await ask('/a%2Fb')).toEqual({
    status: 400,
    challenge: undefined,
    said: { error: 'ADDRESS_REFUSED', message: 'the path contains an encoded slash' },
  });
  expect(await ask('/x')).toMatchObject({ status: 401, challenge: 'Cookie realm="gate"', said: { error: 'SIGN_IN_REQUIRED' } });
  expect(await ask('/admin/x', [cookie])).toMatchObject({ status: 403, said: { error: 'FORBIDDEN' } });
  expect(await ask('/x', [cookie, 'Origin: https://evil.example'])).toMatchObject({ status: 403, said: { error: 'CROSS_SITE' } });
  // Without a session nothing is done in anybody's name.
  const open = raw('GET', '/public', [...socketLines, 'Origin: https://evil.example']).replace('close', 'Upgrade');
  expect((await sendRaw(gate.origin, open)).status).toBe(200);
  expect(upstream.seen.length).toBe(before + 1);
  expect(await ask('/gate/sign-in')).toMatchObject({ status: 404, said: { error: 'NOT_FOUND' } });
  expect(gate.log.at(-1)).toMatchObject({ audit: 'refused', why: 'not-among', rule: 2, method: 'GET' });
  expect(upstream.seen.length).toBe(before + 1);
  const metrics = await (await gate.fetch('/gate/metrics')).text();
  for (const decision of ['sign-in', 'deny', 'allow'])
    expect(metrics).toMatch(new RegExp(`gate_decisions_total\\{decision="${decision}",mode="upgrade"\\} \\d`));
});

test('a POST is no WebSocket, whatever it asks for', async () => {
  const before = upstream.seen.length;
  const text = raw('POST', '/public', socketLines).replace('Connection: close', 'Connection: Upgrade');
  expect((await sendRaw(gate.origin, text)).status).toBe(200);
  expect(upstream.seen.slice(before)).toMatchObject([{ method: 'POST', url: '/public' }]);
  expect(upstream.seen.at(-1)?.headers.upgrade).toBeUndefined();
});

test('where access tokens are taken, a client without one hears so, as a WebSocket too', async () => {
  const challenge = 'Bearer realm="gate"';
  expect(await ask('/api/x')).toMatchObject({ status: 401, challenge, said: { error: 'SIGN_IN_REQUIRED' } });
  const answer = await gate.fetch('/api/x');
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, challenge]);
});

test('without an application behind it there is nothing to open, and nothing to upload', async () => {
  await using alone = await startGate({ providers: [corp], rules: [{ paths: ['/**'], allow: 'anyone' }] });
  const message = 'There is no application behind this gate.';
  expect(await ask('/x', [], alone)).toMatchObject({ status: 404, said: { error: 'NOT_FOUND', message } });
  const upload = await sendRaw(alone.origin, raw('POST', '/x', ['Content-Length: 1', 'Expect: 100-continue'], 'a'));
  expect([upload.status, upload.head]).toEqual([404, expect.not.stringContaining('100 Continue')]);
});

test('an upload is asked for once it is allowed, and not before', async () => {
  const cookie = `Cookie: ${await sessionCookie(gate)}`;
  const send = (lines: readonly string[]) =>
    sendRaw(gate.origin, raw('POST', '/x', ['Content-Length: 1', 'Expect: 100-continue', ...lines], 'a'));
  expect((await send([])).status).toBe(401);
  const before = upstream.seen.length;
  expect((await send([cookie])).status).toBe(100);
  expect(upstream.seen.slice(before)).toMatchObject([{ method: 'POST', body: 'a' }]);
  expect(upstream.seen.at(-1)?.headers.expect).toBeUndefined();
  // Without the wish nothing is promised.
  expect((await sendRaw(gate.origin, raw('POST', '/x', ['Content-Length: 1', cookie], 'a'))).status).toBe(200);
});
