import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepAlive } from './keep-alive.ts';

let server: Server;
let answer: { status: number; body: string | undefined };
let asked: PromiseWithResolvers<void>;
let ping: string;
beforeEach(async () => {
  asked = Promise.withResolvers();
  server = createServer((_request, response) => {
    asked.resolve();
    if (answer.body !== undefined) response.writeHead(answer.status, { location: '/' }).end(answer.body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ping = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ping`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it.each([
  [200, '{"ok":true}', undefined],
  [200, '{"ok":false}', 'answered 200'],
  [200, '{"ok":1}', 'answered 200'],
  [200, '{}', 'answered 200'],
  [200, 'null', 'answered 200'],
  [200, '<h1>parked</h1>', 'answered 200'],
  [503, '{"ok":true}', 'answered 503'],
  [201, '{"ok":true}', 'answered 201'],
  [302, '{"ok":true}', 'answered 302'],
])('takes %i with %s for what it is', async (status, body, complaint) => {
  answer = { status, body };
  const said = await keepAlive(ping).then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect(said).toBe(complaint && `${ping} ${complaint}`);
});

it('is given up when it is told to', async () => {
  answer = { status: 200, body: undefined };
  const stop = new AbortController();
  const waiting = keepAlive(ping, stop.signal);
  await asked.promise;
  stop.abort(new Error('the service stops'));
  await expect(waiting).rejects.toThrow('the service stops');
});

it('complains when nobody listens', async () => {
  server.close();
  await once(server, 'close');
  await expect(keepAlive(ping)).rejects.toThrow('ECONNREFUSED');
});
