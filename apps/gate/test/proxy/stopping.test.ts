import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { echoWebSocket } from '../support/upstream.ts';

// A web server in front keeps its connections open, and sends its next requests on them while the gate stops.

let gate: TestGate;
let application: TestServer;
/** Ends the answer to a request for `/later`. */
let answerLater = () => {};

/** Unless a test says otherwise, a stop waits longer than the test. */
async function start(stopWithinMs = 600_000): Promise<void> {
  application = await serve((request, response) => {
    if (request.url?.startsWith('/later') !== true) return void response.end('now');
    if (request.url === '/later/begun') response.write('begun ');
    answerLater = () => response.end('at last');
  });
  application.server.on('upgrade', (_request, socket: Socket) => echoWebSocket(socket));
  gate = await startGate({ upstream: application.origin }, { overrides: { stopWithinMs } });
}

afterEach(async () => {
  await gate?.[Symbol.asyncDispose]();
  await application?.[Symbol.asyncDispose]();
});

/** A connection that is kept open, and what came on it. */
async function open(path: string, headers = ''): Promise<{ socket: Socket; text: () => string; ask: (path: string) => void }> {
  const socket = connect(Number(new URL(gate.origin).port), '127.0.0.1');
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  socket.on('error', () => {});
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  ask(path);
  return { socket, text: () => text, ask };
}

test('an answer under way is finished and closes its connection', async () => {
  await start();
  const before = answerLater;
  const { socket, text } = await open('/later');
  await expect.poll(() => answerLater).not.toBe(before);
  const stopped = gate.app.close();
  answerLater();
  await Promise.all([once(socket, 'close'), stopped]);
  expect(text()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n[\s\S]*at last/);
});

test('so does one that had begun', async () => {
  await start();
  const idle = await open('/now');
  const { socket, text } = await open('/later/begun');
  await expect.poll(() => [idle.text().includes('now'), text().includes('begun')]).toEqual([true, true]);
  const [stopped, closed] = [gate.app.close(), once(socket, 'close')];
  // Then connections without requests are no longer looked for.
  await once(idle.socket, 'close');
  answerLater();
  await Promise.all([closed, stopped]);
  expect(text()).toContain('at last');
  expect(gate.log.filter(line => line.level === 'error')).toEqual([]);
});

test('a request that was on its way on an open connection is answered', async () => {
  await start();
  const { socket, text, ask } = await open('/now');
  await expect.poll(text).toContain('now');
  const stopped = gate.app.close();
  ask('/gate/healthz');
  await Promise.all([once(socket, 'close'), stopped]);
  expect(text()).toMatch(/now[\s\S]*HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*"status":"ok"/);
});

test('a connection without requests is closed', async () => {
  await start();
  const { socket, text } = await open('/now');
  await expect.poll(text).toContain('now');
  await Promise.all([once(socket, 'close'), gate.app.close()]);
});

test('a visitor’s WebSocket does not keep the gate from stopping', async () => {
  await start(50);
  const { socket, text } = await open('/socket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n');
  await expect.poll(text).toContain('101 Switching Protocols');
  await Promise.all([once(socket, 'close'), gate.app.close()]);
});
