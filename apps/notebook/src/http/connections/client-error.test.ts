import { once } from 'node:events';
import { createServer, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerClientError } from './client-error.ts';

/** Only where its end is awaited may a timeout be so short: a pause of this process would use it up. */
const impatient = { connectionsCheckingInterval: 10, headersTimeout: 40, requestTimeout: 40 };
let server: Server | undefined;
let socket: Socket | undefined;

afterEach(() => {
  socket?.destroy();
  server?.close();
});

async function send(
  sent: string,
  { end = false, timeouts = {} }: { end?: boolean; timeouts?: ServerOptions } = {},
): Promise<{ head: string; problem: Record<string, unknown> | undefined }> {
  server = createServer(timeouts, (_, response) => response.end('fine')).on('clientError', answerClientError);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  if (end) socket.end(sent);
  else socket.write(sent);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head, problem: body === '' ? undefined : JSON.parse(body) };
}

it.each([
  ['not HTTP', {}, 'hello\r\n\r\n', 400, 'Bad Request', 'This is not HTTP/1.1.'],
  [
    'too long',
    {},
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'Request Header Fields Too Large',
    'The address and the headers of the request are too long.',
  ],
  ['never all there', impatient, 'GET / HTTP/1.1\r\nHost: a\r\n', 408, 'Request Timeout', 'The request took too long to arrive.'],
])('what is %s is told so, and the connection ends', async (_, timeouts, sent, status, reason, detail) => {
  const { head, problem } = await send(sent, { timeouts });
  const [first, ...headers] = head.split('\r\n');
  expect(first).toBe(`HTTP/1.1 ${status} ${reason}`);
  expect(headers).toContain('Connection: close');
  expect(headers).toContain('Content-Type: application/problem+json; charset=utf-8');
  expect(problem).toEqual({
    type: 'about:blank',
    title: 'The request could not be understood.',
    status,
    code: 'bad_request',
    detail,
  });
});

it('who ends in the middle of a request is told nothing', async () => {
  expect(await send('GET / HTTP/1.1\r\nHost: a\r\n', { end: true })).toEqual({
    head: '',
    problem: undefined,
  });
});

describe('what comes after a request and cannot be read', () => {
  const answers: ServerResponse[] = [];
  const held = createServer((_, response) => answers.push(response));
  held.on('clientError', answerClientError);
  let client: Socket;

  beforeEach(async () => {
    answers.length = 0;
    if (!held.listening) await once(held.listen(0, '127.0.0.1'), 'listening');
    client = connect({ port: (held.address() as AddressInfo).port, host: '127.0.0.1' });
  });
  afterEach(() => {
    client.destroy();
    held.close();
  });
  const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

  it('is no answer to the request before it', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\n');
    expect(await text(client)).toBe('');
  });

  it('does not get between the parts of an answer', async () => {
    client.write(chunked);
    await expect.poll(() => answers.length).toBe(1);
    answers[0]!.write('one');
    client.write('hello');
    expect((await text(client)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('is told no more when its request was answered before', async () => {
    client.write(chunked);
    await expect.poll(() => answers.length).toBe(1);
    answers[0]!.end('one');
    await once(answers[0]!, 'close');
    client.write('hello');
    expect((await text(client)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('is told when it is the body that the answer waits for', async () => {
    client.write(chunked);
    await expect.poll(() => answers.length).toBe(1);
    client.write('hello');
    expect((await text(client)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  });
});

it('64 are told in one turn of the event loop; the others are read no more until their turn', async () => {
  const written: string[] = [];
  const sockets = Array.from({ length: 100 }, (_, index) =>
    new Duplex({
      read: () => {},
      write: (_chunk, _encoding, done) => {
        written.push(`${index}`);
        done();
      },
    }).on('error', () => {}),
  );
  for (const each of sockets) {
    const error = Object.assign(new Error('not HTTP'), { code: 'HPE_INVALID_METHOD' });
    answerClientError(error, each);
    // Node may find more that it cannot read, or that the connection ended. It counts once.
    answerClientError(error, each);
  }
  expect(written).toHaveLength(64);
  expect(sockets.map(each => each.isPaused())).toEqual(sockets.map(({ destroyed }) => !destroyed));
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
  expect(written).toEqual(sockets.map((_, index) => `${index}`));
});
