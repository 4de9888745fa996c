import { connect, type Socket } from 'node:net';
import { openStore } from '@octavo/sign-in-store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { echoWebSocket, startUpstream, type Upstream } from '../support/upstream.ts';

// What is open ends with what opened it. The gate's clock is moved, nobody waits for it.

const accessTokens = { audience: 'notes', introspection: true };
let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;
let aheadMs = 0;
const opened: Socket[] = [];

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  upstream.server.on('upgrade', (request, socket: Socket) => {
    if (request.url?.startsWith('/events')) {
      socket.on('error', () => {});
      socket.on('end', () => socket.end());
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n');
      socket.resume();
      return;
    }
    echoWebSocket(socket);
  });
  gate = await startGate(
    {
      upstream: upstream.origin,
      providers: [corpProvider(provider, { accessTokens })],
      rules: [{ paths: ['/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] }],
      session: { store: { env: 'STORE' }, keys: [{ env: 'KEY_0' }], lifetime: '2h', idle: '1h' },
    },
    { overrides: { now: () => new Date(Date.now() + aheadMs), watchEveryMs: 20 } },
  );
});

afterAll(async () => {
  for (const one of [gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  aheadMs = 0;
});

// What one test left open is asked about in no other.
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await expect.poll(openStreams).toBe('0');
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
  opened.push(socket);
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

test('cuts a WebSocket when its access token expires, and an answer after the tolerance', async () => {
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

test('cuts a WebSocket that a token opened within the tolerance once that is over', async () => {
  const token = await bearer(600);
  aheadMs = 605_000;
  const { socket, closed } = await open('/socket', token);
  expect(await echo(socket, 'here')).toBe('here');
  aheadMs = 635_000;
  await closed;
});

test('cuts a WebSocket when its opaque token expires', async () => {
  provider.answers.introspection = { active: true, sub: 'robot', aud: 'notes', exp: Math.floor(Date.now() / 1000) + 600 };
  const { closed } = await open('/socket', 'Authorization: Bearer opaque-with-an-end');
  aheadMs = 605_000;
  await closed;
});

test("cuts what a token without an expiry opened after a session's lifetime", async () => {
  provider.answers.introspection = { active: true, sub: 'robot', aud: 'notes' };
  const { socket, closed } = await open('/socket', 'Authorization: Bearer opaque-without-an-end');
  aheadMs = 7_100_000;
  expect(await echo(socket, 'here')).toBe('here');
  aheadMs = 7_300_000;
  await closed;
});

describe('introspects an opaque token again while something is open', () => {
  const asked = () => provider.requests.filter(path => path === '/introspect').length;
  const active = (more: object = {}) => ({ active: true, sub: 'robot', aud: 'notes', ...more });
  let made = 0;
  let token: string;

  beforeEach(() => {
    provider.answers.introspection = active();
    made += 1;
    token = `Authorization: Bearer opaque-${made}`;
  });

  afterEach(() => {
    provider.answers.isDown = false;
  });

  test('once for everything it opened, and cuts all of it when the token was revoked', async () => {
    const before = asked();
    const sockets = await Promise.all(Array.from({ length: 5 }, () => open('/socket', token)));
    const events = await listen(token);
    for (const [at, seconds] of [31, 62, 93].entries()) {
      aheadMs = seconds * 1000;
      await expect.poll(asked).toBe(before + 2 + at);
      for (const { socket } of sockets) expect(await echo(socket, 'here')).toBe('here');
    }
    expect(asked()).toBe(before + 4);
    provider.answers.introspection = { active: false };
    aheadMs = 124_000;
    await Promise.all(sockets.map(({ closed }) => closed));
    await expect(events.ended()).rejects.toThrow();
    expect(asked()).toBe(before + 5);
    expect(gate.log.at(-1)).toMatchObject({ audit: 'token-refused', reason: 'TOKEN_REFUSED', provider: 'corp', open: true });
    expect(JSON.stringify(gate.log)).not.toContain(`opaque-${made}`);
  });

  test('and cuts at once when a request learns that the token is not active', async () => {
    const { closed } = await open('/socket', token);
    aheadMs = 31_000;
    provider.answers.introspection = { active: false };
    const [name = '', value = ''] = token.split(': ');
    await gate.fetch('/x', { headers: { [name]: value } });
    await closed;
  });

  test.each([
    ['another person', active({ sub: 'another' })],
    ['another audience', active({ aud: 'elsewhere' })],
    ['a key that it is bound to', active({ cnf: { jkt: 'x' } })],
  ])('and refuses a token that is now for %s', async (_name, answer) => {
    const { closed } = await open('/socket', token);
    provider.answers.introspection = answer;
    aheadMs = 31_000;
    await closed;
  });

  test('and keeps streams for 5 minutes while the provider is down, without asking all the time', async () => {
    const { socket, closed } = await open('/socket', token);
    const { socket: other } = await open('/socket', token);
    provider.answers.isDown = true;
    const before = asked();
    aheadMs = 31_000;
    await expect.poll(asked).toBe(before + 1);
    for (const [at, seconds] of [45, 60, 320].entries()) {
      aheadMs = seconds * 1000;
      await expect.poll(asked).toBe(before + 2 + at);
      expect(await echo(socket, 'here')).toBe('here');
    }
    other.destroy();
    aheadMs = 335_000;
    await closed;
    expect(gate.log.at(-1)).toMatchObject({ audit: 'token-refused', reason: 'PROVIDER_DOWN', open: true });
  });

  test('and keeps streams if the provider answers again in time', async () => {
    const { socket } = await open('/socket', token);
    provider.answers.isDown = true;
    const before = asked();
    aheadMs = 31_000;
    await expect.poll(asked).toBe(before + 1);
    for (const [at, seconds] of [200, 240, 340].entries()) {
      await expect.poll(openStreams).toBe('1');
      provider.answers.isDown = false;
      aheadMs = seconds * 1000;
      await expect.poll(asked).toBe(before + 2 + at);
    }
    expect(await echo(socket, 'here')).toBe('here');
    socket.destroy();
  });

  test('and asks before cutting anything after a long sleep', async () => {
    const { socket } = await open('/socket', token);
    const before = asked();
    aheadMs = 7_000_000;
    await expect.poll(asked).toBe(before + 1);
    expect(await echo(socket, 'here')).toBe('here');
    socket.destroy();
  });

  test('and does not wait behind a flood of invented tokens', { timeout: 90_000 }, async () => {
    const { socket, closed } = await open('/socket', token);
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.answers.introspectionWaitsFor = promise;
    const before = provider.introspected.length;
    const isAsked = (about: string) => provider.introspected.includes(about, before);
    const invented = Array.from({ length: limits.maxIntrospectionsAtOnce }, (_, at) => `invented-${at}`);
    const flood = invented.map((name, at) =>
      gate.fetch('/x', { headers: { authorization: `Bearer ${name}`, 'x-forwarded-for': `198.51.100.${at % 4}` } }),
    );
    await expect.poll(() => invented.filter(isAsked).length, { timeout: 60_000 }).toBe(invented.length);
    aheadMs = 31_000;
    await expect.poll(() => isAsked(`opaque-${made}`)).toBe(true);
    provider.answers.introspection = { active: false };
    provider.answers.introspectionWaitsFor = undefined;
    resolve();
    await Promise.all([closed, ...flood]);
    expect(socket.destroyed || socket.readableEnded).toBe(true);
  });

  test('and cuts everything once introspection is switched off', async () => {
    const { closed } = await open('/socket', token);
    const provided = corpProvider(provider, { accessTokens: { audience: 'notes' } });
    await gate.app.reload(gate.readConfig({ providers: [provided] }));
    aheadMs = 31_000;
    await closed;
    await gate.app.reload(gate.config);
  });
});

test('cuts a WebSocket when its session expires', async () => {
  const { socket, closed } = await open('/socket', `Cookie: ${await sessionCookie(gate, { issuer: provider.issuer })}`);
  aheadMs = 3_000_000;
  expect(await echo(socket, 'here')).toBe('here');
  aheadMs = 3_700_000;
  await closed;
});

test('cuts an endless answer to an upgrade with its session', async () => {
  const cookie = await sessionCookie(gate, { issuer: provider.issuer });
  const { closed } = await open('/events', `Cookie: ${cookie}`, /^HTTP\/1\.1 200 /);
  await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } });
  await closed;
});

test.each([
  ['a back-channel logout', 'by-sid'],
  ['the store, by whichever process', 'by-store'],
])("cuts a session's WebSocket with %s", async (_name, how) => {
  const session = await sessionCookie(gate, { issuer: provider.issuer, subject: how }, {}, undefined, how);
  const [own, others] = [
    await open('/socket', `Cookie: ${session}`),
    await open(
      '/socket',
      `Cookie: ${await sessionCookie(gate, { issuer: provider.issuer, subject: 'bob' }, {}, undefined, 'bob')}`,
    ),
  ];
  if (how === 'by-sid') {
    const now = Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const claims = { iss: provider.issuer, aud: 'gate', iat: now, exp: now + 60, jti: 'one', sid: how, events };
    const body = new URLSearchParams({ logout_token: await provider.sign(claims, { typ: 'logout+jwt' }) });
    expect((await gate.fetch('/gate/corp/backchannel-logout', { method: 'POST', body })).status).toBe(200);
  } else {
    const store = await openStore(gate.store);
    await store.endSessions({ issuer: provider.issuer, subject: how, at: new Date() });
    await store.close();
  }
  await own.closed;
  expect(await echo(others.socket, 'still here')).toBe('still here');
  others.socket.destroy();
});

test('cuts what an access token opened when its provider is switched off', async () => {
  const { closed } = await open('/socket', await bearer(600));
  await gate.app.reload(gate.readConfig({ providers: [corpProvider(provider, { accessTokens, enabled: false })] }));
  await closed;
  await gate.app.reload(gate.config);
});
