import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createDevFront, type DevFront } from './dev-front.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server, port = 0): Promise<string> {
  servers.push(server.listen(port, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startFront(listener: RequestListener): Promise<{ front: DevFront; origin: string }> {
  const front = createDevFront(await listen(createServer(listener)));
  return { front, origin: await listen(front.server) };
}

const policy = "default-src 'none'; script-src 'self'";

test('adds the reload script to a page and keeps its status and headers', async () => {
  const { origin } = await startFront((_, response) =>
    response
      .writeHead(404, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, etag: '"a"' })
      .end('<html><head><title>é</title></head><body>Words</body></html>'),
  );
  const answer = await fetch(origin);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-security-policy')).toBe(policy);
  expect(answer.headers.get('etag')).toBeNull();
  expect(await answer.text()).toBe(
    '<html><head><title>é</title><script src="/dev/reload.js"></script></head><body>Words</body></html>',
  );
});

test.each([
  ['data', { 'content-type': 'application/json' }],
  ['a frame with a policy of its own', { 'content-type': 'text/html', 'content-security-policy': "script-src 'nonce-a'" }],
])('passes %s through unchanged, including request bodies', async (_, headers) => {
  const { origin } = await startFront(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.writeHead(200, headers).end(`<head></head>${request.method} ${request.url} ${Buffer.concat(chunks)}`);
  });
  const answer = await fetch(`${origin}/api?x=1`, { method: 'PUT', body: 'sent' });
  expect(await answer.text()).toBe('<head></head>PUT /api?x=1 sent');
});

test('tells an open page when the program was rebuilt', async () => {
  const { front, origin } = await startFront((_, response) => response.end());
  const events = (await fetch(`${origin}/dev/reload`)).body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value: first } = await events.read();
  front.reload();
  const { value: second } = await events.read();
  expect([first, second]).toEqual([expect.stringMatching(/^data: \d+\n\n$/), expect.stringMatching(/^data: \d+\n\n$/)]);
  expect(second).not.toBe(first);
  await events.cancel();
});

test('makes a request wait while the service restarts', async () => {
  const away = createServer();
  const upstream = await listen(away);
  await new Promise(resolve => away.close(resolve));
  const origin = await listen(createDevFront(upstream).server);
  const waiting = fetch(origin);
  await listen(
    createServer((_, response) => response.end('back')),
    Number(new URL(upstream).port),
  );
  expect(await (await waiting).text()).toBe('back');
});
