import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';

// Requests that a client sends on one connection without waiting for the answers.

let application: TestServer;
let gate: TestGate;
const open: { readonly url: string; readonly response: ServerResponse }[] = [];

beforeAll(async () => {
  application = await serve((request, response) => void open.push({ url: request.url ?? '', response }));
  gate = await startGate({ upstream: application.origin });
});

afterAll(async () => {
  for (const one of [gate, application]) await one?.[Symbol.asyncDispose]();
});

const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

function send(text: string): { came(): string; readonly closed: Promise<unknown> } {
  const { hostname, port } = new URL(gate.origin);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  let came = '';
  socket.on('data', chunk => {
    came += chunk;
  });
  socket.on('error', () => {});
  return { came: () => came, closed: new Promise(resolve => socket.once('close', resolve)) };
}

test('reach the application one after the other, and are answered in their order', async () => {
  const paths = Array.from({ length: 17 }, (_, at) => `/${at}`);
  const { came, closed } = send(paths.map((path, at) => ask(path, at === 16 ? 'Connection: close\r\n' : '')).join(''));
  for (const [at, path] of paths.entries()) {
    await expect.poll(() => open.length).toBe(at + 1);
    // It was in the same packet, so it would be here.
    expect((await gate.fetch('/gate/healthz')).status).toBe(200);
    expect(open.map(({ url }) => url)).toEqual(paths.slice(0, at + 1));
    open[at]?.response.end(`answer to ${path};`);
  }
  await closed;
  expect(came().match(/answer to [^;]+/g)).toEqual(paths.map(path => `answer to ${path}`));
});

test.each([18, 1000])('end the connection when more than 16 wait, and the application hears of one: %d', async count => {
  open.length = 0;
  await send(ask('/many').repeat(count)).closed;
  expect((await gate.fetch('/gate/healthz')).status).toBe(200);
  expect(open.length).toBeLessThan(2);
});

test('end connections when more than 1,024 wait on all together; those that are gone do not count', async () => {
  const flood = () => {
    const { hostname, port } = new URL(gate.origin);
    const text = ask('/first') + ask('/waits').repeat(16);
    return Array.from({ length: 70 }, () => {
      const socket = connect(Number(port), hostname, () => socket.write(text));
      return { socket: socket.on('error', () => {}).resume(), isOpen: () => !socket.destroyed };
    });
  };
  for (const round of ['first', 'second']) {
    open.length = 0;
    const connections = flood();
    await expect.poll(() => connections.filter(one => !one.isOpen()).length, { message: round }).toBe(70 - 1_024 / 16);
    expect((await gate.fetch('/gate/healthz')).status).toBe(200);
    const ended = connections.map(
      ({ socket }) => new Promise(resolve => (socket.destroyed ? resolve(0) : socket.once('close', resolve))),
    );
    for (const { socket } of connections) socket.destroy();
    await Promise.all(ended);
    // The gate has heard of it once the application has.
    await expect.poll(() => open.every(({ response }) => response.destroyed)).toBe(true);
  }
});
