import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { linesOf } from '../support/two-gates.ts';
import { echoWebSocket, startUpstream, type Upstream } from '../support/upstream.ts';

// What is open when the rules or the person change is judged as if it were asked for now, and a client that waits for an answer gets one.

const rules = [{ paths: ['/**'], allow: 'signed-in' }];
const stricter = [{ paths: ['/secret', '/hang/secret'], allow: 'nobody' }, ...rules];

let upstream: Upstream;
let gate: TestGate;
/** How many requests the application has that it does not answer. */
let hanging = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.server.on('upgrade', (_request, socket: Socket) => echoWebSocket(socket));
  upstream.server.on('request', ({ url = '' }: { url?: string }) => {
    if (url.startsWith('/hang')) hanging += 1;
  });
  gate = await startGate({ upstream: upstream.origin, providers: [corp], rules });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

afterEach(() => gate.app.reload(gate.config));

/** A WebSocket through the gate. */
async function open(
  path: string,
  cookie: string,
): Promise<{ closed: Promise<void>; echo(text: string): Promise<string>; close(): void }> {
  const { hostname, port } = new URL(gate.origin);
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', `Cookie: ${cookie}`, '', ''];
  const socket = connect(Number(port), hostname, () => socket.write(lines.join('\r\n')));
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  const heard = () => new Promise<string>(resolve => socket.once('data', chunk => resolve(chunk.toString())));
  expect(await heard()).toMatch(/^HTTP\/1\.1 101 /);
  const echo = (text: string) => {
    const answer = heard();
    socket.write(text);
    return answer;
  };
  return { closed, echo, close: () => socket.destroy() };
}

test('a WebSocket is cut if the new configuration may read its address as another one, and others stay', async () => {
  const cookie = await sessionCookie(gate);
  const [other, trailing, free] = [await open('/SECRET', cookie), await open('/secret.', cookie), await open('/free', cookie)];
  await gate.app.reload(gate.readConfig({ rules: stricter }));
  expect([await other.echo('here'), await trailing.echo('here')]).toEqual(['here', 'here']);
  await gate.app.reload(gate.readConfig({ rules: stricter, ignorePathCase: true }));
  await other.closed;
  await trailing.closed;
  expect(await free.echo('here')).toBe('here');
  free.close();
});

/** A request that the application has and does not answer. */
async function wait(path: string, cookie: string, init: RequestInit = {}): Promise<{ readonly answer: Promise<Response> }> {
  const before = hanging;
  const answer = gate.fetch(path, { ...init, headers: { cookie, ...init.headers } });
  answer.catch(() => {});
  await expect.poll(() => hanging).toBe(before + 1);
  return { answer };
}

test('a request that the application has not answered gets 403 if the new rules forbid it', async () => {
  const cookie = await sessionCookie(gate);
  const read = await wait('/hang/secret', cookie, { headers: { accept: 'text/html' } });
  const written = await wait('/hang/secret', cookie, { method: 'POST', body: 'x' });
  await gate.app.reload(gate.readConfig({ rules: stricter }));
  const page = await read.answer;
  expect([page.status, await linesOf(page)]).toEqual([
    403,
    [
      'Access denied',
      'You do not have access to this address.',
      'Your access changed before the application answered.',
      'FORBIDDEN',
    ],
  ]);
  const refused = await written.answer;
  expect([refused.status, await refused.json()]).toEqual([
    403,
    {
      error: 'FORBIDDEN',
      message: 'Your access changed before the application answered. The application may have done what this request asked for.',
    },
  ]);
});

test('a request that the application has not answered gets 401 if its session ends', async () => {
  const cookie = await sessionCookie(gate);
  const read = await wait('/hang/x', cookie, { headers: { accept: 'text/html' } });
  const called = await wait('/hang/x', cookie, { method: 'POST', body: 'x' });
  expect((await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } })).status).toBe(200);
  const page = await read.answer;
  expect([page.status, await linesOf(page)]).toEqual([
    401,
    [
      'Sign in to continue',
      'You need to sign in to open this address.',
      'You were signed out before the application answered.',
      'Try again -> /hang/x',
      'SIGN_IN_REQUIRED',
    ],
  ]);
  const refused = await called.answer;
  expect([refused.status, await refused.json()]).toMatchObject([
    401,
    {
      error: 'SIGN_IN_REQUIRED',
      message: 'You were signed out before the application answered. The application may have done what this request asked for.',
    },
  ]);
});
