import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { sendLastAnswer } from './last-answer.ts';

const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });

afterEach(() => {
  server.removeAllListeners('connection');
  server.close();
});

test('closes the connection of a client that leaves its own side open, and goes on sending', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = new Promise<string>(resolve =>
    server.on('connection', socket => {
      socket.once('close', () => resolve('closed'));
      sendLastAnswer(socket, 'the end', 50);
    }),
  );
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => {});
  client.write('x'.repeat(1_000_000));
  const [came] = (await once(client, 'data')) as [Buffer];
  expect([came.toString(), await closed]).toEqual(['the end', 'closed']);
  client.destroy();
});
