import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { endStalledReaders } from './stalled-readers.ts';

const millis = 150;
/** More than the system buffers for a connection that nobody reads. */
const long = Buffer.alloc(60_000_000);

let server: Server;
const open: net.Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  server.close();
});

async function connect(answer: RequestListener, timeout = millis): Promise<{ client: net.Socket; atServer: net.Socket }> {
  server = createServer(answer);
  endStalledReaders(server, timeout);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  open.push(client);
  const [atServer] = (await once(server, 'connection')) as [net.Socket];
  client.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return { client, atServer };
}

it('who takes nothing of an answer loses the connection', async () => {
  const { atServer } = await connect((_, response) => response.end(long));
  await once(atServer, 'close');
});

it('so does who takes nothing of an answer that is still being made', async () => {
  const { atServer } = await connect((_, response) => response.write(long));
  await once(atServer, 'close');
});

/** What Node does when the time of a connection is over, without the wait. Not public API (Node 20, 24 and 26 have it). */
const letTimeoutPass = (socket: net.Socket) => (socket as unknown as { _onTimeout(): void })._onTimeout();

it('who reads slowly keeps it, and loses it once they read no more', async () => {
  const { client, atServer } = await connect((_, response) => response.end(long), 3_600_000);
  const queued = () => (atServer as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;
  await expect.poll(queued).toBeGreaterThan(0);
  for (let read = 0; read < 3; read++) {
    const before = queued();
    // In pieces, as the system hands them over, until the server notices that something was taken.
    while (queued() === before) if (client.read() === null) await new Promise(setImmediate);
    letTimeoutPass(atServer);
    expect(atServer.destroyed).toBe(false);
  }
  // Once for what was taken since; then nothing was.
  await expect
    .poll(() => {
      letTimeoutPass(atServer);
      return atServer.destroyed;
    })
    .toBe(true);
});

it('an answer that takes its time is waited for', async () => {
  const { client } = await connect((_, response) => setTimeout(() => response.end('late'), millis * 5));
  const [answer] = await once(client.resume(), 'data');
  expect(String(answer)).toContain('late');
});

it('a connection that asks nothing more is ended', async () => {
  const { client, atServer } = await connect((_, response) => response.end('short'));
  server.keepAliveTimeout = 50;
  client.resume();
  await once(atServer, 'close');
});
