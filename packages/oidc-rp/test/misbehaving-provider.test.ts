import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { selfSignedCertificate } from '../../../tools/self-signed.ts';
import { type OidcErrorCode, RelyingParty, type RelyingPartyOptions } from '../src/index.ts';
import { errorOf } from './support/expect-refused.ts';
import { FakeOp } from './support/fake-op.ts';
import { serve } from './support/http-server.ts';

function against(issuer: string, changes: Partial<RelyingPartyOptions> = {}): RelyingParty {
  return new RelyingParty({
    issuer,
    clientId: 'notes',
    clientAuthentication: { method: 'none' },
    redirectUri: 'https://rp.example/callback',
    dangerouslyAllowLoopbackHttp: true,
    ...changes,
  });
}

/** Only where the end of our patience is awaited: elsewhere a pause of this process would use it up. */
const impatient = { limits: { requestTimeoutMs: 1_500 } };

/** Asks for the metadata and counts what that cost. */
async function askedOf(listener: RequestListener, changes: Partial<RelyingPartyOptions>) {
  let requests = 0;
  await using server = await serve((request, response) => {
    requests += 1;
    listener(request, response);
  });
  const memory = process.memoryUsage().rss;
  const error = await errorOf(against(server.origin, changes).metadata());
  return { error, requests, grownBytes: process.memoryUsage().rss - memory };
}

const json = { 'content-type': 'application/json' };
const endless = Buffer.alloc(65_536, ' ');
const bomb = gzipSync(Buffer.alloc(200_000_000, ' '));

const faults: Record<string, [RequestListener, OidcErrorCode]> = {
  'never answers': [() => undefined, 'OIDC_HTTP_TIMEOUT'],
  'sends its headers and then nothing': [(_, response) => void response.writeHead(200, json).flushHeaders(), 'OIDC_HTTP_TIMEOUT'],
  'sends a byte at a time': [(_, response) => drip(response.writeHead(200, json)), 'OIDC_HTTP_TIMEOUT'],
  'sends without end': [(_, response) => flood(response.writeHead(200, json)), 'OIDC_HTTP_TOO_LARGE'],
  'sends 200 MB packed into 200 kB': [
    (_, response) => void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb),
    'OIDC_HTTP_TOO_LARGE',
  ],
  redirects: [(_, response) => void response.writeHead(302, { location: '/elsewhere' }).end(), 'OIDC_HTTP_REDIRECT'],
  'redirects with 307': [
    (_, response) => void response.writeHead(307, { location: 'https://evil.example/' }).end(),
    'OIDC_HTTP_REDIRECT',
  ],
  'answers with a web page': [
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'OIDC_HTTP_CONTENT_TYPE',
  ],
  'answers without a type': [(_, response) => void response.writeHead(200).end('{}'), 'OIDC_HTTP_CONTENT_TYPE'],
  'answers with an error': [(_, response) => void response.writeHead(500, json).end('{}'), 'OIDC_HTTP_STATUS'],
  'answers with nothing': [(_, response) => void response.writeHead(200, json).end(), 'OIDC_JSON_INVALID'],
  'answers with half an object': [(_, response) => void response.writeHead(200, json).end('{"issuer":'), 'OIDC_JSON_INVALID'],
  'answers with the language’s own names': [
    (_, response) => void response.writeHead(200, json).end('{"__proto__":{"issuer":"x"}}'),
    'OIDC_JSON_INVALID',
  ],
  'hangs up': [request => void request.socket.destroy(), 'OIDC_HTTP_NETWORK'],
  'hangs up in the middle': [
    (_, response) => void response.writeHead(200, { ...json, 'content-length': 100 }).write('{', () => response.destroy()),
    'OIDC_HTTP_NETWORK',
  ],
};

test.each(Object.keys(faults))('refuses a provider that %s after one request, within memory and time limits', async name => {
  const [listener, code] = faults[name]!;
  const { error, requests, grownBytes } = await askedOf(listener, code === 'OIDC_HTTP_TIMEOUT' ? impatient : {});
  expect(error.code).toBe(code);
  expect(requests).toBe(1);
  expect(grownBytes).toBeLessThan(100_000_000);
});

test('does not retry in a storm while the provider is down', async () => {
  let requests = 0;
  await using server = await serve((_, response) => {
    requests += 1;
    response.writeHead(503).end();
  });
  const rp = against(server.origin);
  for (let at = 0; at < 100; at += 1) expect((await errorOf(rp.startSignIn())).code).toBe('OIDC_HTTP_STATUS');
  await Promise.all(Array.from({ length: 100 }, () => errorOf(rp.startSignIn())));
  expect(requests).toBe(2);
});

test('does not follow a redirect from the token endpoint with the code', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  op.faults.token = () => new Response(null, { status: 307, headers: { location: 'https://evil.example/token' } });
  expect((await errorOf(rp.finishSignIn(op.authorize(url), pending))).code).toBe('OIDC_HTTP_REDIRECT');
  expect(op.strangers).toEqual([]);
});

test('reports a provider that nobody listens at', async () => {
  const server = createTcpServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  const error = await errorOf(against(`http://127.0.0.1:${port}`).metadata());
  expect([error.code, error.received]).toEqual(['OIDC_HTTP_NETWORK', 'ECONNREFUSED']);
});

test('refuses an untrusted server certificate', async () => {
  const server = createTlsServer(await selfSignedCertificate(), (_, response) => response.end('{}'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const error = await errorOf(against(`https://127.0.0.1:${(server.address() as AddressInfo).port}`).metadata());
  server.closeAllConnections();
  server.close();
  expect([error.code, error.received]).toEqual(['OIDC_HTTP_NETWORK', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
});

test('times out even if fetch ignores its abort signal', async () => {
  const rp = against('https://op.example', { ...impatient, fetch: () => new Promise<Response>(() => undefined) });
  expect((await errorOf(rp.metadata())).code).toBe('OIDC_HTTP_TIMEOUT');
});

function drip(response: { write: (text: string) => unknown; on: (event: 'close', listener: () => void) => unknown }): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

function flood(response: Parameters<RequestListener>[1]): void {
  const more = () => {
    while (!response.destroyed && response.write(endless));
  };
  response.on('drain', more).on('error', () => undefined);
  more();
}
