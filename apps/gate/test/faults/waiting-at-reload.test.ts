import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { echoWebSocket, startUpstream, type Upstream } from '../support/upstream.ts';

// A request may wait for a provider, for the store or for the application while the rules become stricter. No old rule lets it through then.

const rules = [{ paths: ['/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] }];
const stricter = [{ paths: ['/secret/**'], allow: 'nobody' }, ...rules];

let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;
/** The application accepts a WebSocket once this is called. */
let accept: (() => void) | undefined;

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  upstream.server.on('upgrade', (_request, socket: Socket) => {
    socket.on('error', () => {});
    accept = () => echoWebSocket(socket);
  });
  const accessTokens = { audience: 'notes', introspection: true };
  gate = await startGate({
    upstream: upstream.origin,
    providers: [corpProvider(provider, { userInfo: false, accessTokens })],
    rules,
  });
});

afterAll(async () => {
  for (const one of [gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

afterEach(() => gate.app.reload(gate.config));

const seconds = () => Math.floor(Date.now() / 1000);

/** A session whose renewal is due. The provider answers once `release` is called. */
async function due(): Promise<{ cookie: string; isAsked: () => boolean; release: () => void }> {
  const claims = { iss: provider.issuer, sub: 'ada', aud: 'gate', iat: seconds() - 400, exp: seconds() - 100 };
  const idToken = await provider.sign(claims);
  const tokens = { accessToken: 'a', tokenType: 'Bearer', idToken, signedIdToken: idToken, refreshToken: crypto.randomUUID() };
  const record = { signIn: { identity: { issuer: provider.issuer, subject: 'ada' }, claims, tokens } };
  const cookie = await sessionCookie(gate, { issuer: provider.issuer }, record, Date.now() - 1);
  let release = () => {};
  let isAsked = false;
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  provider.answers.token = async () => {
    isAsked = true;
    await released;
    const id_token = await provider.sign({ ...claims, iat: seconds(), exp: seconds() + 300, groups: ['staff'] } as never);
    return { status: 200, body: { access_token: 'b', token_type: 'Bearer', id_token, refresh_token: crypto.randomUUID() } };
  };
  return { cookie: `Cookie: ${cookie}`, isAsked: () => isAsked, release };
}

const socketLines = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13'];

test.each([
  ['a request', '/secret/x', [], 403],
  ['a WebSocket', '/secret/x', socketLines, 403],
  ['the question of a web server', '/gate/check', ['X-Original-URI: /secret/x'], 403],
  ['the question of another web server', '/gate/forward', ['X-Forwarded-Uri: /secret/x'], 403],
  ['what the new rules allow as well', '/free/x', [], 200],
] as const)('%s that waits for the renewal of its session is decided by the new rules', async (_what, path, lines, status) => {
  const { cookie, isAsked, release } = await due();
  const before = upstream.seen.length;
  const connection = lines.length === 2 ? 'Upgrade' : 'close';
  const answer = sendRaw(
    gate.origin,
    raw('GET', path, [cookie, ...lines]).replace('Connection: close', `Connection: ${connection}`),
  );
  await expect.poll(isAsked).toBe(true);
  await gate.app.reload(gate.readConfig({ rules: stricter }));
  release();
  expect((await answer).status).toBe(status);
  expect(upstream.seen.length).toBe(before + (status === 200 ? 1 : 0));
});

test('an address that the new rules refuse to read is refused to a request that waits', async () => {
  const { cookie, isAsked, release } = await due();
  const before = upstream.seen.length;
  const answer = sendRaw(gate.origin, raw('GET', '/secret.', [cookie]));
  await expect.poll(isAsked).toBe(true);
  await gate.app.reload(gate.readConfig({ rules: stricter, ignorePathCase: true }));
  release();
  expect((await answer).status).toBe(400);
  expect(upstream.seen.length).toBe(before);
});

test('a request that waits while its provider is asked about its access token is decided by the new rules', async () => {
  let release = () => {};
  provider.answers.introspectionWaitsFor = new Promise<void>(resolve => {
    release = resolve;
  });
  provider.answers.introspection = { active: true, sub: 'robot', aud: 'notes', client_id: 'script' };
  const before = provider.introspected.length;
  const answer = gate.fetch('/secret/x', { headers: { authorization: 'Bearer opaque' } });
  await expect.poll(() => provider.introspected.length).toBe(before + 1);
  await gate.app.reload(gate.readConfig({ rules: stricter }));
  release();
  provider.answers.introspectionWaitsFor = undefined;
  expect((await answer).status).toBe(403);
});

test('a WebSocket that the application has not accepted yet is refused by the new rules', async () => {
  const cookie = await sessionCookie(gate, { issuer: provider.issuer });
  const { hostname, port } = new URL(gate.origin);
  const open = async (path: string) => {
    accept = undefined;
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', ...socketLines, `Cookie: ${cookie}`, '', ''].join('\r\n'),
      ),
    );
    let said = '';
    socket.on('data', chunk => {
      said += chunk;
    });
    const isClosed = new Promise<string>(resolve => socket.once('close', () => resolve('closed')));
    await expect.poll(() => accept).toBeDefined();
    return { socket, isClosed, said: () => said, accept: accept as unknown as () => void };
  };
  const [secret, free] = [await open('/secret/x'), await open('/free/x')];
  await gate.app.reload(gate.readConfig({ rules: stricter }));
  await expect.poll(() => secret.said()).toMatch(/^HTTP\/1\.1 403 .*"error":"FORBIDDEN"/s);
  for (const one of [secret, free]) one.accept();
  await expect.poll(() => free.said()).toMatch(/^HTTP\/1\.1 101 /);
  free.socket.write('still here');
  await expect.poll(() => free.said()).toMatch(/still here$/);
  const quiet = new Promise<string>(resolve => setTimeout(resolve, 1500, 'open'));
  expect(await Promise.race([secret.isClosed, quiet])).toBe('closed');
  free.socket.destroy();
});
