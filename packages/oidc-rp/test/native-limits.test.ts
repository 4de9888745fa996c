import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { type LoopbackOptions, signInWithLoopback } from '../src/native.ts';
import { LoopbackListener } from '../src/native-app/loopback-listener.ts';
import { errorOf } from './support/expect-refused.ts';
import { FakeOp } from './support/fake-op.ts';
import { hasIpv6 } from './support/has-ipv6.ts';
import { serve } from './support/http-server.ts';

async function nativeOptions() {
  const op = await FakeOp.start();
  const { redirectUri: _, clientAuthentication: __, ...options } = op.options();
  return { op, options };
}

/** Asks like a browser that closes its window before the answer comes. */
function knockAndHangUp(address: string): Promise<void> {
  const url = new URL(address);
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = createConnection(Number(url.port), url.hostname.replace(/[[\]]/g, ''), () => {
    socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`, () => socket.resetAndDestroy());
  });
  socket.once('close', () => resolve());
  socket.on('error', () => undefined);
  return promise;
}

const isFree = (address: string) => expect(fetch(address)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });

test('finishes and closes the port if the browser disconnects while the code is redeemed', async () => {
  const { op, options } = await nativeOptions();
  const gone = Promise.withResolvers<void>();
  let address = '';
  const outcome = signInWithLoopback({
    ...options,
    fetch: async (url, init) => {
      if (url.endsWith('/token')) {
        await gone.promise;
        // The server notices the reset with its next turns.
        for (let turn = 0; turn < 20; turn += 1) await new Promise(resolve => setImmediate(resolve));
      }
      return op.fetch(url, init);
    },
    openBrowser: async url => {
      address = op.authorize(url);
      await knockAndHangUp(address);
      gone.resolve();
    },
  });
  expect((await outcome).signIn.identity.subject).toBe('sub-1');
  await isFree(address);
});

test.each(['/token', '/jwks', '/.well-known/openid-configuration'])(
  'times out and frees the port if the provider never answers at %s',
  async ending => {
    const { op, options } = await nativeOptions();
    let address: string | undefined;
    const outcome = signInWithLoopback({
      ...options,
      timeoutMs: 300,
      limits: { requestTimeoutMs: 60_000 },
      fetch: (url, init) => (url.endsWith(ending) ? new Promise<Response>(() => undefined) : op.fetch(url, init)),
      openBrowser: url => {
        address = op.authorize(url);
        fetch(address).catch(() => undefined);
      },
    });
    expect((await errorOf(outcome)).code).toBe('OIDC_NATIVE_TIMEOUT');
    if (address !== undefined) await isFree(address);
  },
);

test('sends the secret of a desktop client, as Google issues them', async () => {
  const { op, options } = await nativeOptions();
  const { signIn, relyingParty } = await signInWithLoopback({
    ...options,
    clientAuthentication: { method: 'client_secret_post', secret: 'GOCSPX-not-a-secret' },
    openBrowser: async url => void (await fetch(op.authorize(url))),
  });
  expect(signIn.identity.subject).toBe('sub-1');
  expect(op.bodies.find(body => body.has('code_verifier'))!.get('client_secret')).toBe('GOCSPX-not-a-secret');
  expect((await relyingParty.refresh(signIn)).identity).toEqual(signIn.identity);
});

for (const literal of ['127.0.0.1', '[::1]']) {
  test(`where a provider demands localhost, a browser that resolves it to ${literal} is heard`, async context => {
    if (literal === '[::1]' && !hasIpv6) context.skip('this machine has no IPv6');
    const { op, options } = await nativeOptions();
    let redirectUri = '';
    const { signIn } = await signInWithLoopback({
      ...options,
      host: 'localhost',
      path: '/callback',
      openBrowser: async url => {
        redirectUri = url.searchParams.get('redirect_uri')!;
        const address = new URL(op.authorize(url));
        const { host } = address;
        address.hostname = literal;
        const { request } = await import('node:http');
        await new Promise((resolve, reject) => request(address, { headers: { host } }, resolve).on('error', reject).end());
      },
    });
    expect(redirectUri).toMatch(/^http:\/\/localhost:\d+\/callback$/);
    expect(signIn.identity.subject).toBe('sub-1');
  });
}

test('uses a given port, and fails at once if it is taken', async () => {
  const { options } = await nativeOptions();
  await using taken = await serve((_request, response) => void response.end());
  const port = Number(new URL(taken.origin).port);
  await expect(signInWithLoopback({ ...options, port, openBrowser: () => undefined })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await expect(signInWithLoopback({ ...options, port, host: 'localhost', openBrowser: () => undefined })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test.each([
  ['options.timeoutMs', { timeoutMs: '300' }],
  ['options.timeoutMs', { timeoutMs: Number.NaN }],
  ['options.host', { host: '0.0.0.0' }],
  ['options.port', { port: 70_000 }],
  ['options.path', { path: 'callback' }],
  ['options.path', { path: '//callback' }],
  ['options.path', { path: '/callback?x=1' }],
  ['options.path', { path: '/callback#part' }],
  ['options.path', { path: ['/callback'] }],
  ['options.openBrowser', { openBrowser: 'firefox' }],
  ['options.redirectUri', { redirectUri: 'https://rp.example/cb' }],
  ['options.responseMode', { responseMode: 'query' }],
  ['options.applicationType', { applicationType: 'native' }],
  ['options.tiemoutMs', { tiemoutMs: 5 }],
])('refuses %s by its path', async (path, changes) => {
  const { options } = await nativeOptions();
  const given = { openBrowser: () => undefined, timeoutMs: 5_000, ...options, ...changes } as LoopbackOptions;
  expect(await errorOf(signInWithLoopback(given))).toMatchObject({ code: 'OIDC_CONFIG_INVALID', check: path });
});

test('fails if another program has the port in the other address family, and frees both', async context => {
  if (!hasIpv6) context.skip('this machine has no IPv6');
  const { options } = await nativeOptions();
  const stranger = createServer().listen(0, '::1');
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  const given = { ...options, port, host: 'localhost' as const, openBrowser: () => undefined };
  await expect(signInWithLoopback(given)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await isFree(`http://127.0.0.1:${port}/`);
  stranger.close();
});

test('answers 404 to everyone else before the sign-in is ready and after its answer', async () => {
  const listener = new LoopbackListener();
  try {
    const origin = `http://${await listener.listen('127.0.0.1', 0)}`;
    expect((await fetch(`${origin}/early`)).status).toBe(404);
    const arrival = listener.first(
      () => true,
      response => response.writeHead(404).end(),
    );
    const answer = fetch(`${origin}/first`);
    const { address, response } = await arrival;
    expect(address).toBe('/first');
    expect((await fetch(`${origin}/second`)).status).toBe(404);
    response.writeHead(200).end();
    expect((await answer).status).toBe(200);
  } finally {
    listener.close();
  }
});
