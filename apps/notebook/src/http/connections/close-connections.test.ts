import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { closeConnectionsWithServer } from './close-connections.ts';

let server: http.Server;
let asked: http.ServerResponse[];
let socket: Socket;
let atServer: Socket;
let text: string;

async function open(freshMillis?: number): Promise<void> {
  asked = [];
  text = '';
  server = http.createServer({ keepAliveTimeout: 60_000 }, (_, response) => asked.push(response));
  closeConnectionsWithServer(server, freshMillis);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('data', part => {
    text += part.toString('latin1');
  });
  [[atServer]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown];
}
function end(): void {
  socket.destroy();
  server.closeAllConnections();
}
beforeEach(() => open());
afterEach(end);

async function ask(): Promise<http.ServerResponse> {
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => asked.length).toBe(1);
  return asked[0]!;
}

/** Closes the server; the promise is over once every connection is. */
const close = () => new Promise<void>(resolve => server.close(() => resolve()));

/** Until the connections that had nothing to answer are closed. */
async function idleAreClosed(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}

it('closes a connection with its answer, and says so', async () => {
  const response = await ask();
  const closed = close();
  response.end('here');
  await Promise.all([closed, once(socket, 'close')]);
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*here$/);
});

it('closes a connection with its answer, whose head was sent before', async () => {
  const response = await ask();
  response.setHeader('content-length', 8);
  response.write('here');
  await expect.poll(() => text).toMatch(/here$/);
  const closed = close();
  await idleAreClosed();
  response.end('more');
  await Promise.all([closed, once(socket, 'close')]);
  expect(text).toMatch(/heremore$/);
});

it('sends an answer to its end that is written and not read yet', async () => {
  const response = await ask();
  socket.pause();
  const body = Buffer.alloc(32 * 1024 * 1024, 'a');
  response.end(body);
  const closed = close();
  let bytes = 0;
  socket.removeAllListeners('data').on('data', part => {
    bytes += part.length;
  });
  socket.resume();
  await Promise.all([closed, once(socket, 'close')]);
  expect(bytes).toBeGreaterThan(body.length);
});

it('answers what has arrived and was not read yet', async () => {
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const closed = close();
  await expect.poll(() => asked.length).toBe(1);
  asked[0]!.end('here');
  await Promise.all([closed, once(socket, 'close')]);
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*here$/);
});

it('asks for a body that a client holds back, and answers', async () => {
  socket.write('POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n');
  const closed = close();
  await expect.poll(() => asked.length).toBe(1);
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 100 /);
  socket.write('word');
  // A body that comes after the answer, when its connection is closed, brings the client a reset.
  await once(asked[0]!.req.resume(), 'end');
  asked[0]!.end('here');
  await Promise.all([closed, once(socket, 'close')]);
  expect(text).toMatch(/here$/);
});

it('answers the first request of a client that has just connected', async () => {
  end();
  server.close();
  await open(60_000);
  const closed = close();
  await idleAreClosed();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => asked.length).toBe(1);
  asked[0]!.end('here');
  await Promise.all([closed, once(socket, 'close')]);
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*here$/);
});

it('forgets a connection that is over', async () => {
  atServer.destroy();
  await once(socket, 'close');
  const destroy = vi.spyOn(atServer, 'destroy');
  await close();
  await idleAreClosed();
  expect(destroy).not.toHaveBeenCalled();
});

it.each([
  ['nothing was asked', ''],
  ['a head never comes to its end', 'GET / HTTP/1.1\r\nhost: x\r\n'],
])('closes a connection soon on which %s', async (_, sent) => {
  socket.write(sent);
  await expect.poll(() => atServer.bytesRead).toBe(sent.length);
  await Promise.all([close(), once(socket, 'close')]);
  expect(text).toBe('');
});
