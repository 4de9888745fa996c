import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { beginEnd, endInTurns, isEnding } from './connection-ends.ts';

const turn = () => new Promise(resolve => setImmediate(resolve));

function connections(count: number, requests = 0): { sockets: net.Socket[]; errors: unknown[] } {
  const errors: unknown[] = [];
  const sockets = Array.from({ length: count }, () => {
    const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() }) as unknown as net.Socket;
    endInTurns(socket, () => requests);
    return socket.on('error', error => errors.push(error));
  });
  return { sockets, errors };
}

const countEnded = (sockets: readonly net.Socket[]) => sockets.filter(({ destroyed }) => destroyed).length;

/** How many ended at once, and in each later turn in which any did. */
async function ends(sockets: readonly net.Socket[]): Promise<number[]> {
  const seen = [countEnded(sockets)];
  while (seen.at(-1)! < sockets.length) {
    await turn();
    seen.push(countEnded(sockets));
  }
  return seen.map((count, at) => count - (seen[at - 1] ?? 0)).filter(more => more > 0);
}

afterEach(async () => {
  // There is room again.
  for (let turns = 0; turns < 3; turns += 1) await turn();
});

it('64 connections end in one turn of the event loop, whatever ends them; the others wait', async () => {
  const { sockets, errors } = connections(150);
  for (const socket of sockets) {
    expect(socket.destroy(new Error('ended'))).toBe(socket);
    // Counts once.
    expect(socket.destroy(new Error('again'))).toBe(socket);
  }
  expect(sockets.every(isEnding)).toBe(true);
  expect(sockets.map(socket => socket.isPaused())).toEqual(sockets.map(({ destroyed }) => !destroyed));
  expect(await ends(sockets)).toEqual([64, 64, 22]);
  await turn();
  expect(errors.map(error => (error as Error).message)).toEqual(Array(150).fill('ended'));
});

it('those with many requests count for as many', async () => {
  const { sockets } = connections(20, 15);
  for (const socket of sockets) socket.destroy();
  expect(await ends(sockets)).toEqual([4, 4, 4, 4, 4]);
});

it('one that begins to end is read no more', () => {
  const { sockets } = connections(2);
  beginEnd(sockets[0]!);
  expect(sockets.map(isEnding)).toEqual([true, false]);
  expect(sockets.map(socket => socket.isPaused())).toEqual([true, false]);
});

it('Node ends real connections so, and their requests with them', async () => {
  const atServer: net.Socket[] = [];
  let asked = 0;
  let aborted = 0;
  const server = http.createServer(request => {
    asked += 1;
    request.on('error', () => (aborted += 1));
  });
  server.on('connection', socket => {
    atServer.push(socket);
    endInTurns(socket, () => 0);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: 150 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
  for (const client of clients) client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n');
  await expect.poll(() => asked).toBe(150);
  server.closeAllConnections();
  expect(await ends(atServer)).toEqual([64, 64, 22]);
  await expect.poll(() => aborted).toBe(150);
  server.close();
  await once(server, 'close');
});
