import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { endStalledReaders } from './stalled-readers.ts';

/** More than the system buffers for a connection that nobody reads. */
const long = Buffer.alloc(30_000_000);
const idleMs = 100;

let server: Server;
const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  server.close();
});

/** A server that answers with what is too long for a reader who does not read, or leaves an upgraded connection to the test. */
async function connectTo(idle: () => number, request: string): Promise<{ client: Socket; atServer: Socket }> {
  server = createServer((_request, response) => response.end(long));
  server.on('upgrade', (_request, socket: Socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.resume();
  });
  endStalledReaders(server, idle, 20);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => {});
  const [atServer] = (await once(server, 'connection')) as [Socket];
  open.push(client, atServer);
  client.write(request);
  return { client, atServer };
}

const plain = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const webSocket = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

test('ends the connection of a client who takes nothing of an answer', async () => {
  const { atServer } = await connectTo(() => idleMs, plain);
  await once(atServer, 'close');
});

test('ends a WebSocket whose bytes wait unread, also while its client sends some', async () => {
  const { client, atServer } = await connectTo(() => idleMs, webSocket);
  await once(client, 'readable');
  const sends = setInterval(() => client.write('x'), idleMs / 10);
  try {
    atServer.write(long);
    await once(atServer, 'close');
  } finally {
    clearInterval(sends);
  }
});

test('keeps a quiet WebSocket and a connection without a request', async () => {
  const { client, atServer } = await connectTo(() => idleMs, webSocket);
  const silent = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [silentAtServer] = (await once(server, 'connection')) as [Socket];
  open.push(silent, silentAtServer);
  // A client that reads nothing is ended meanwhile.
  const stalled = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  stalled.on('error', () => {}).write(plain);
  const [stalledAtServer] = (await once(server, 'connection')) as [Socket];
  open.push(stalled);
  await once(stalledAtServer, 'close');
  expect([atServer.destroyed, silentAtServer.destroyed, client.destroyed]).toEqual([false, false, false]);
});

test('keeps a client who reads slowly, until they read no more', async () => {
  // At most 40 ms are counted at a look, so ten do not end a client, and sixty would.
  let looksWithoutProgress = 0;
  const idle = () => {
    looksWithoutProgress += 1;
    return 1_000;
  };
  const { client, atServer } = await connectTo(idle, plain);
  const taken = () => {
    const handle = (atServer as unknown as { _handle: { bytesWritten: number; writeQueueSize: number } })._handle;
    return handle.bytesWritten - handle.writeQueueSize;
  };
  for (let portion = 0; portion < 6; portion++) {
    const until = looksWithoutProgress + 10;
    await expect.poll(() => looksWithoutProgress, { interval: 5 }).toBeGreaterThanOrEqual(until);
    expect(atServer.destroyed).toBe(false);
    const before = taken();
    // In pieces, as the system hands them over, until the server can write again.
    while (taken() === before) if (client.read() === null) await new Promise(setImmediate);
  }
  expect(atServer.destroyed).toBe(false);
  await once(atServer, 'close');
});
