import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { prepareHead, type ReadyStatus, setReadyHead } from './ready-answer.ts';

let server: http.Server;
let socket: net.Socket;
let next: { status: ReadyStatus; head: string; keepAliveMillis: number; body?: Buffer };
beforeEach(async () => {
  server = http.createServer((request, response) => {
    setReadyHead(request, response, next.status, next.head, next.keepAliveMillis);
    response.end(next.body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
});
afterEach(() => {
  vi.useRealTimers();
  socket.destroy();
  server.close();
});

/** The bytes of one answer. */
async function ask(): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [bytes] = await once(socket, 'data');
  return String(bytes);
}

it('an answer says when it was sent, by the second', async () => {
  next = { status: 200, head: prepareHead(200, { 'content-length': 0 }), keepAliveMillis: 0 };
  vi.useFakeTimers({ toFake: ['Date'] });
  for (const [at, date] of [
    ['2026-03-01T12:00:00.000Z', 'Sun, 01 Mar 2026 12:00:00 GMT'],
    ['2026-03-01T12:00:00.999Z', 'Sun, 01 Mar 2026 12:00:00 GMT'],
    ['2026-03-01T12:00:01.000Z', 'Sun, 01 Mar 2026 12:00:01 GMT'],
  ] as const) {
    vi.setSystemTime(new Date(at));
    expect(await ask()).toBe(`HTTP/1.1 200 OK\r\ncontent-length: 0\r\nDate: ${date}\r\nConnection: keep-alive\r\n\r\n`);
  }
});

it('one that the client has brings no body, whatever is at hand', async () => {
  next = { status: 304, head: prepareHead(304, { etag: '"a"' }), keepAliveMillis: 5_000, body: Buffer.from('body') };
  const answer = await ask();
  expect(answer).toMatch(/^HTTP\/1\.1 304 Not Modified\r\netag: "a"\r\n/);
  expect(answer).toMatch(/\r\nKeep-Alive: timeout=5\r\n\r\n$/);
  // The connection's next answer begins where this one ended.
  expect(await ask()).toMatch(/^HTTP/);
});
