import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { answerHalfClosed } from './half-closed.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** What a client gets that ends its side with its request. */
async function ask(listener: RequestListener, quietMillis: number): Promise<string> {
  server = createServer(listener);
  answerHalfClosed(server, quietMillis);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return text(client);
}

const minute = 60_000;

it('a client that ends its side is answered, also when the answer comes after that', async () => {
  const answer = await ask(({ socket }, response) => socket.once('end', () => response.end('the answer')), minute);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*the answer$/s);
});

it('its connection is closed when nothing is sent', async () => {
  const gone = Promise.withResolvers<void>();
  expect(await ask((_request, response) => void response.once('close', gone.resolve), 1)).toBe('');
  await gone.promise;
});

it('its connection is closed when an answer that has begun stays quiet', async () => {
  const gone = Promise.withResolvers<void>();
  const begin: RequestListener = (_request, response) => {
    response.once('close', gone.resolve);
    response.write('begun');
  };
  expect(await ask(begin, 100).catch(() => 'cut')).toMatch(/begun|cut/);
  await gone.promise;
});
