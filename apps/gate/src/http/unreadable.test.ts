import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerUnreadable, copyNoUnreadable } from './unreadable.ts';

let server: ReturnType<typeof createServer>;

beforeEach(async () => {
  server = createServer();
  server.on('connection', copyNoUnreadable);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const send = (text: string) => {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write(text));
  client.on('error', () => {});
};

test('the packet that cannot be read is not copied into the error', async () => {
  const failed = new Promise<Error & { code?: string; rawPacket?: Buffer }>(resolve => {
    server.on('clientError', (error, socket) => {
      socket.destroy();
      resolve(error);
    });
  });
  send('nothing of the kind\r\n\r\n');
  const { code, rawPacket } = await failed;
  expect([code, rawPacket]).toEqual(['HPE_INVALID_METHOD', undefined]);
});

test.each([
  'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n',
])('what follows the head of an upgrade reaches the listener: %j', async head => {
  const followed = new Promise<string>(resolve => {
    for (const event of ['upgrade', 'connect'] as const)
      server.on(event, (_request, socket, rest: Buffer) => {
        socket.destroy();
        resolve(rest.toString());
      });
  });
  send(`${head}first frames`);
  expect(await followed).toBe('first frames');
});

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_INVALID_METHOD', '400 Bad Request'],
  // Nobody is there to read an answer.
  ['HPE_INVALID_EOF_STATE', undefined],
  ['ECONNRESET', undefined],
])('%s is answered with %s', (code, status) => {
  const socket = new PassThrough();
  answerUnreadable(Object.assign(new Error(code), { code }), socket);
  expect((socket.read() as Buffer | null)?.toString().split('\r\n')[0]).toBe(status && `HTTP/1.1 ${status}`);
  socket.destroy();
});
