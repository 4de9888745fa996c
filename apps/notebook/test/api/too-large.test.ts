import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
let origin: string;
beforeAll(async () => {
  app = await startNotebookApp();
  origin = await app.listen();
});
afterAll(() => app.close());

const bytes = 3 * limits.maxBodyBytes;
const body = Buffer.alloc(bytes, 'x');
const chunked = Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

/** Sends all of it and only then reads, as browsers do. */
async function sendThenRead(head: readonly string[], sent: Buffer): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(`${['POST /api/notebooks HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...head].join('\r\n')}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(sent, error => (error ? reject(error) : resolve()));
  });
  return text(socket);
}

it.each([
  ['said before', `Content-Length: ${bytes}`, body],
  ['found out while it comes', 'Transfer-Encoding: chunked', chunked],
])('who sends too much over a real connection hears so, its size %s', async (_when, head, sent) => {
  const answer = await sendThenRead([head, 'Connection: close'], sent);
  expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 413 Payload Too Large');
  expect(answer).toContain('"code":"too_large","detail":"The body may have at most 8388608 bytes."');
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
});

it.each([
  [8_388_608, 201],
  [8_388_609, 413],
])('a body of %i bytes: %i', async (size, status) => {
  const answer = await fetch(`${origin}/api/notebooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}'.padEnd(size),
  });
  expect(answer.status).toBe(status);
});
