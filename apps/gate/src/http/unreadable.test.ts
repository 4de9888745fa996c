import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerUnreadable } from './unreadable.ts';

let server: Server;
beforeEach(async () => {
  server = createServer((_, response) => response.end());
  answerUnreadable(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** What a client gets that sends this. */
async function send(words: string): Promise<string> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(words);
  return text(client);
}

it.each([
  ['400 Bad Request', 'this is not HTTP\r\n\r\n'],
  ['431 Request Header Fields Too Large', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(17_000)}\r\n\r\n`],
])('what cannot be read is answered %s, and not copied into the error', async (status, words) => {
  const errors: (NodeJS.ErrnoException & { rawPacket?: Buffer })[] = [];
  server.on('clientError', error => errors.push(error));
  expect(await send(words)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  expect(errors.map(({ rawPacket }) => rawPacket)).toEqual([undefined]);
});

it('what follows the head of an upgrade reaches whoever listens for it', async () => {
  server.on('upgrade', (_, socket, head) => socket.end(head));
  expect(await send('GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nfirst')).toBe('first');
});
