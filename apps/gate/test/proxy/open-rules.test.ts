import { connect, type Socket } from 'node:net';
import { openStore } from '@octavo/sign-in-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Sealer } from '../../src/sessions/seal.ts';
import { Sessions } from '../../src/sessions/sessions.ts';
import { startGate, type TestGate, testKey } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { echoWebSocket, startUpstream, type Upstream } from '../support/upstream.ts';

// A WebSocket is let through once and may be open for hours. Whatever takes the right to it away cuts it, though nobody makes a request.

const rules = [
  {
    paths: ['/staff/**'],
    allow: { provider: 'corp', groups: ['staff'] },
    accessTokens: [{ provider: 'corp', scopes: ['chat'] }],
  },
  { paths: ['/free/**'], allow: 'anyone' },
  { paths: ['/events/free'], allow: 'anyone' },
  { paths: ['/events', '/events/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp', scopes: ['chat'] }] },
  { paths: ['/**'], allow: 'signed-in' },
];
let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;
let aheadMs = 0;

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  upstream.server.on('upgrade', (_request, socket: Socket) => echoWebSocket(socket));
  const settings = {
    upstream: upstream.origin,
    providers: [corpProvider(provider, { userInfo: false, accessTokens: { audience: 'notes' } })],
    rules,
    session: { store: { env: 'STORE' }, keys: [{ env: 'KEY_0' }], lifetime: '8h', idle: '1h' },
  };
  gate = await startGate(settings, { overrides: { now: () => new Date(Date.now() + aheadMs), watchEveryMs: 20 } });
});

afterAll(async () => {
  for (const one of [gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  aheadMs = 0;
});

/** A WebSocket through the gate. `closed` settles when it is cut. */
async function open(
  path: string,
  header: string,
): Promise<{ isOpen: () => Promise<boolean>; closed: Promise<void>; close(): void }> {
  const { hostname, port } = new URL(gate.origin);
  const socket = connect(Number(port), hostname, () =>
    socket.write([`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', header, '', ''].join('\r\n')),
  );
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  const heard = () => new Promise<string>(resolve => socket.once('data', chunk => resolve(chunk.toString())));
  expect(await heard()).toMatch(/^HTTP\/1\.1 101 /);
  const isOpen = async () => {
    const answer = Promise.race([heard(), closed.then(() => 'closed')]);
    socket.write('here');
    return (await answer) === 'here';
  };
  return { isOpen, closed, close: () => socket.destroy() };
}

const seconds = () => Math.floor(Date.now() / 1000);

/** A person of the staff, whose provider is asked again at that time. */
async function staff(refreshAt?: number): Promise<string> {
  const claims = { iss: provider.issuer, sub: 'ada', aud: 'gate', iat: seconds() - 400, exp: seconds() - 100 };
  const idToken = await provider.sign(claims);
  const refreshToken = crypto.randomUUID();
  const tokens = { accessToken: 'a', tokenType: 'Bearer', idToken, signedIdToken: idToken, refreshToken };
  const record = { signIn: { identity: { issuer: provider.issuer, subject: 'ada' }, claims, tokens } };
  return `Cookie: ${await sessionCookie(gate, { issuer: provider.issuer }, record, refreshAt)}`;
}

/** What the provider says of them now. */
async function refreshed(groups: string[]): Promise<{ status: number; body: object }> {
  const claims = { iss: provider.issuer, sub: 'ada', aud: 'gate', iat: seconds(), exp: seconds() + 300, groups };
  const idToken = await provider.sign(claims as never);
  return { status: 200, body: { access_token: 'b', token_type: 'Bearer', id_token: idToken, refresh_token: 'r2' } };
}

describe('renewal for open connections', () => {
  test('cuts only the connections that a lost group allowed', async () => {
    provider.answers.token = () => refreshed(['guests']);
    const cookie = await staff(Date.now() + 300_000);
    const [chat, other] = [await open('/staff/chat', cookie), await open('/elsewhere', cookie)];
    expect([await chat.isOpen(), await other.isOpen()]).toEqual([true, true]);
    aheadMs = 301_000;
    await chat.closed;
    expect(await other.isOpen()).toBe(true);
    other.close();
  });

  test('keeps connections if the group stays, and asks the provider once', async () => {
    let asked = 0;
    provider.answers.token = () => {
      asked += 1;
      return refreshed(['staff']);
    };
    const cookie = await staff(Date.now() + 300_000);
    const chats = await Promise.all(Array.from({ length: 3 }, () => open('/staff/chat', cookie)));
    aheadMs = 301_000;
    await expect.poll(() => asked).toBe(1);
    for (const chat of chats) {
      expect(await chat.isOpen()).toBe(true);
      chat.close();
    }
  });

  test('ends session and connections if the provider refuses the refresh token', async () => {
    provider.answers.token = async () => ({ status: 400, body: { error: 'invalid_grant' } });
    const chat = await open('/staff/chat', await staff(Date.now() + 300_000));
    aheadMs = 301_000;
    await chat.closed;
    expect(gate.log.find(line => line.audit === 'session-ended-at-refresh')).toBeDefined();
  });

  test('ends nothing while the provider is down', async () => {
    provider.answers.isDown = true;
    const chat = await open('/staff/chat', await staff(Date.now() + 300_000));
    aheadMs = 301_000;
    await expect
      .poll(() => gate.log.some(line => line.message === 'could not renew a session; it stays valid until it expires'))
      .toBe(true);
    expect(await chat.isOpen()).toBe(true);
    provider.answers.isDown = false;
    chat.close();
  });
});

test('uses a session as another process has renewed it', async () => {
  const cookie = await staff();
  const chat = await open('/staff/chat', cookie);
  const store = await openStore(gate.store);
  const sessions = new Sessions(store, new Sealer([testKey]), gate.config.session, () => new Date());
  const found = await sessions.find(sessions.readCookie([cookie.replace(/^Cookie: gate=/, '')])?.id ?? '');
  if (found === undefined) throw new Error('no session');
  await sessions.change(found, { ...found, identity: { ...found.identity, groups: ['guests'] } });
  await store.close();
  await chat.closed;
});

test('cuts connections that changed rules no longer allow, by session or token', async () => {
  const cookie = await staff();
  const claims = {
    iss: provider.issuer,
    aud: 'notes',
    sub: 'robot',
    client_id: 'script',
    jti: 'x',
    iat: seconds(),
    exp: seconds() + 600,
  };
  const token = await provider.sign({ ...claims, groups: ['staff'], scope: 'chat' } as never, { typ: 'at+jwt' });
  const bearer = `Authorization: Bearer ${token}`;
  const [chat, bot, free, other] = [
    await open('/staff/chat', cookie),
    await open('/staff/chat', bearer),
    await open('/free/x', cookie),
    await open('/elsewhere', cookie),
  ];
  const [, ...rest] = rules;
  // Tokens are configured, so some rule must take them.
  const robots = { paths: ['/robots/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] };
  await gate.app.reload(gate.readConfig({ rules: [robots, { paths: ['/staff/**'], allow: 'signed-in' }, ...rest] }));
  // The session still may; a token counts no more.
  await bot.closed;
  expect([await chat.isOpen(), await free.isOpen(), await other.isOpen()]).toEqual([true, true, true]);
  await gate.app.reload(gate.readConfig({ rules: [{ paths: ['/free/**'], allow: 'anyone' }, robots] }));
  await Promise.all([chat.closed, other.closed]);
  expect(await free.isOpen()).toBe(true);
  free.close();
  await gate.app.reload(gate.config);
});

const openStreams = async () => /^gate_open_streams (\d+)$/m.exec(await (await gate.fetch('/gate/metrics')).text())?.[1];

test('a WebSocket and an answer are watched while they are open, if a known person opened them', async () => {
  const nobody = await open('/free/x', 'X-A: 1');
  const free = await gate.fetch('/events/free');
  expect([await nobody.isOpen(), free.status, await openStreams()]).toEqual([true, 200, '0']);
  const cookie = await staff();
  const chat = await open('/staff/chat', cookie);
  const events = await gate.fetch('/events', { headers: { cookie: cookie.slice('Cookie: '.length) } });
  expect([await chat.isOpen(), events.status, await openStreams()]).toEqual([true, 200, '2']);
  chat.close();
  await expect.poll(openStreams).toBe('1');
  await events.body?.cancel();
  await expect.poll(openStreams).toBe('0');
  nobody.close();
  await free.body?.cancel();
});

test('a person who signs out cuts what this browser opened, and nothing else', async () => {
  const [mine, other] = [await staff(), await staff()];
  const [chat, elsewhere] = [await open('/staff/chat', mine), await open('/staff/chat', other)];
  const headers = { cookie: mine.slice('Cookie: '.length), origin: gate.origin };
  expect((await gate.fetch('/gate/sign-out', { method: 'POST', headers })).status).toBe(200);
  await chat.closed;
  expect(await elsewhere.isOpen()).toBe(true);
  elsewhere.close();
});

test('changed rules cut an answer by its own address', async () => {
  const cookie = (await staff()).slice('Cookie: '.length);
  const read = async (path: string) => {
    const reader = (await gate.fetch(path, { headers: { cookie } })).body?.getReader();
    const isOver = () =>
      reader?.read().then(
        ({ done }) => done,
        () => true,
      );
    return { isOver, close: () => reader?.cancel() };
  };
  const [lost, kept] = [await read('/events/lost'), await read('/events/kept')];
  expect([await lost.isOver(), await kept.isOver()]).toEqual([false, false]);
  await gate.app.reload(gate.readConfig({ rules: [{ paths: ['/events/lost'], allow: 'nobody' }, ...rules] }));
  await expect.poll(lost.isOver).toBe(true);
  expect(await kept.isOver()).toBe(false);
  await kept.close();
  await gate.app.reload(gate.config);
});

test('what a token opened ends with it: a WebSocket at once, or with the tolerance if it was over before; an answer with the tolerance', async () => {
  const bearer = async (forSeconds: number) => {
    const claims = { iss: provider.issuer, aud: 'notes', sub: 'robot', client_id: 'script', jti: 'x', iat: seconds() - 60 };
    const all = { ...claims, exp: seconds() + forSeconds, groups: ['staff'], scope: 'chat' };
    return `Bearer ${await provider.sign(all as never, { typ: 'at+jwt' })}`;
  };
  const token = await bearer(600);
  const chat = await open('/staff/chat', `Authorization: ${token}`);
  const late = await open('/staff/chat', `Authorization: ${await bearer(-5)}`);
  const answer = await gate.fetch('/events', { headers: { authorization: token } });
  const ended = answer.text().then(
    () => 'ended',
    () => 'ended',
  );
  const isOver = () => Promise.race([ended, new Promise(resolve => setTimeout(resolve, 100, 'open'))]);
  expect([await chat.isOpen(), await late.isOpen(), await isOver()]).toEqual([true, true, 'open']);
  aheadMs = 60_000;
  await late.closed;
  expect([await chat.isOpen(), await isOver()]).toEqual([true, 'open']);
  aheadMs = 610_000;
  await chat.closed;
  expect(await isOver()).toBe('open');
  aheadMs = 640_000;
  expect(await ended).toBe('ended');
});
