import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// What is open ends with what opened it. The gate's clock is moved, nobody waits for it.

const accessTokens = { audience: 'notes', introspection: true };
let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;
let aheadMs = 0;

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  upstream.server.on('upgrade', (request, socket: Socket) => {
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    if (request.url?.startsWith('/events')) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n');
      socket.resume();
      return;
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  gate = await startGate(
    {
      upstream: upstream.origin,
      providers: [corpProvider(provider, { accessTokens })],
      rules: [{ paths: ['/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] }],
      session: { store: { env: 'STORE' }, keys: [{ env: 'KEY_0' }], lifetime: '2h', idle: '1h' },
    },
    { overrides: { now: () => new Date(Date.now() + aheadMs) } },
  );
});

afterAll(async () => {
  for (const one of [gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  aheadMs = 0;
});

async function bearer(seconds: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: provider.issuer,
    aud: 'notes',
    sub: 'robot',
    client_id: 'script',
    iat: now,
    exp: now + seconds,
    jti: 'x',
  };
  return `Authorization: Bearer ${await provider.sign(claims, { typ: 'at+jwt' })}`;
}

/** A connection that asked for a WebSocket and was answered. `closed` settles when the gate cuts it. */
async function open(
  path: string,
  header: string,
  answer = /^HTTP\/1\.1 101 /,
): Promise<{ socket: Socket; closed: Promise<void> }> {
  const { hostname, port } = new URL(gate.origin);
  const socket = connect(Number(port), hostname, () =>
    socket.write([`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', header, '', ''].join('\r\n')),
  );
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  expect(await heard(socket)).toMatch(answer);
  return { socket, closed };
}

const heard = (socket: Socket): Promise<string> =>
  new Promise(resolve => socket.once('data', chunk => resolve(chunk.toString())));

async function echo(socket: Socket, text: string): Promise<string> {
  const answer = heard(socket);
  socket.write(text);
  return answer;
}

/** A stream of events that has begun. */
async function listen(header: string): Promise<{ ended: () => Promise<void> }> {
  const [name = '', value = ''] = header.split(': ');
  const reader = ((await gate.fetch('/events', { headers: { [name]: value } })).body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('data: one');
  return {
    ended: async () => {
      for (;;) if ((await reader.read()).done) return;
    },
  };
}

const openStreams = async () => /^gate_open_streams (\d+)$/m.exec(await (await gate.fetch('/gate/metrics')).text())?.[1];

test('a WebSocket ends when the access token that opened it expires, an answer after the tolerance', async () => {
  const token = await bearer(600);
  const [{ socket, closed }, events] = [await open('/socket', token), await listen(token)];
  aheadMs = 590_000;
  expect(await echo(socket, 'still here')).toBe('still here');
  aheadMs = 605_000;
  await closed;
  expect(await openStreams()).toBe('1');
  aheadMs = 635_000;
  await expect(events.ended()).rejects.toThrow();
  await expect.poll(openStreams).toBe('0');
});

test('one that a token in its last tolerated moments opened ends after them', async () => {
  const token = await bearer(600);
  aheadMs = 605_000;
  const { socket, closed } = await open('/socket', token);
  expect(await echo(socket, 'here')).toBe('here');
  aheadMs = 635_000;
  await closed;
});

test('an opaque token takes its WebSocket along when it expires', async () => {
  provider.answers.introspection = { active: true, sub: 'robot', aud: 'notes', exp: Math.floor(Date.now() / 1000) + 600 };
  const { closed } = await open('/socket', 'Authorization: Bearer opaque-with-an-end');
  aheadMs = 605_000;
  await closed;
});

test('one without an end opens nothing for longer than a session lasts', async () => {
  provider.answers.introspection = { active: true, sub: 'robot', aud: 'notes' };
  const { socket, closed } = await open('/socket', 'Authorization: Bearer opaque-without-an-end');
  aheadMs = 7_100_000;
  expect(await echo(socket, 'here')).toBe('here');
  aheadMs = 7_300_000;
  await closed;
});

test('a WebSocket ends when its session expires', async () => {
  const { socket, closed } = await open('/socket', `Cookie: ${await sessionCookie(gate, { issuer: provider.issuer })}`);
  aheadMs = 3_000_000;
  expect(await echo(socket, 'here')).toBe('here');
  aheadMs = 3_700_000;
  await closed;
});

test('an answer without an end in place of a WebSocket ends with its session, too', async () => {
  const cookie = await sessionCookie(gate, { issuer: provider.issuer });
  const { closed } = await open('/events', `Cookie: ${cookie}`, /^HTTP\/1\.1 200 /);
  await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } });
  await closed;
});

test('what an access token opened ends when its provider is switched off', async () => {
  const { closed } = await open('/socket', await bearer(600));
  await gate.app.reload(gate.readConfig({ providers: [corpProvider(provider, { accessTokens, enabled: false })] }));
  await closed;
  await gate.app.reload(gate.config);
});
