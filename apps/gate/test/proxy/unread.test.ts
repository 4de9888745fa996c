import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { answerWithoutEnd, serve, type TestServer } from '../support/servers.ts';

// A visitor who never reads must not hold the application: who does so a thousand times would take all it can serve.

let upstream: TestServer;
let gate: TestGate;
/** What the application is serving, by path. */
const served = new Map<string, number>();
const count = (path: string, more: number) => served.set(path, (served.get(path) ?? 0) + more);

beforeAll(async () => {
  upstream = await serve((request, response) => {
    count(request.url ?? '', 1);
    response.on('close', () => count(request.url ?? '', -1));
    answerWithoutEnd(response);
  });
  const piece = Buffer.alloc(65_536);
  upstream.server.on('upgrade', (request, socket: Socket) => {
    count(request.url ?? '', 1);
    socket.on('error', () => {}).on('close', () => count(request.url ?? '', -1));
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    if (request.url === '/loud') more();
    socket
      .on('drain', more)
      .on('end', () => socket.end())
      .resume();
  });
  gate = await startGate({ upstream: upstream.origin, timeouts: { idle: '1s' } });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

test('who reads nothing for timeouts.idle is ended, and the application hears of it; a quiet WebSocket is kept', async () => {
  const { hostname, port } = new URL(gate.origin);
  const ask = (path: string, lines: readonly string[]) => {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    socket.write([`GET ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n'));
    return socket;
  };
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  const visitors = [ask('/quiet', upgrade), ask('/loud', upgrade), ask('/long', [])];
  try {
    await expect.poll(() => [served.get('/quiet'), served.get('/loud'), served.get('/long')]).toEqual([1, 1, 1]);
    await expect.poll(() => [served.get('/loud'), served.get('/long')], { timeout: 20_000 }).toEqual([0, 0]);
    expect(served.get('/quiet')).toBe(1);
  } finally {
    for (const visitor of visitors) visitor.destroy();
  }
});
