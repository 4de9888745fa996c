import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { boundConnections } from './connections.ts';

const servers: http.Server[] = [];
const sockets: net.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(trustProxy: readonly string[] = []): Promise<number> {
  const server = http.createServer((_, response) => response.end('here'));
  boundConnections(server, { maxPerClient: 2, trustProxy });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A connection that stays open; answers what comes first: its answer, or a refusal. */
async function open(port: number, localAddress: string): Promise<{ first: string; socket: net.Socket }> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [data] = await once(socket, 'data');
  return { first: String(data).split('\r\n')[0]!, socket };
}

const ok = 'HTTP/1.1 200 OK';
const full = 'HTTP/1.1 503 Service Unavailable';

it('refuses the connections of one client past its bound, and nobody else', async () => {
  const port = await listen();
  const [first] = [await open(port, '127.5.5.5'), await open(port, '127.5.5.5')];
  expect((await open(port, '127.5.5.5')).first).toBe(full);
  expect((await open(port, '127.5.5.6')).first).toBe(ok);
  // The place of a connection that was closed is free again.
  first!.socket.end();
  await expect.poll(async () => (await open(port, '127.5.5.5')).first, { timeout: 20_000 }).toBe(ok);
});

it.each([
  ['127.0.0.1', []],
  ['127.7.7.7', ['127.7.7.7']],
  ['127.7.7.8', ['10.0.0.1', '127.7.0.0/16']],
])('counts nothing of %s with TRUST_PROXY=%j', async (address, trustProxy) => {
  const port = await listen(trustProxy);
  for (let count = 0; count < 5; count++) expect((await open(port, address)).first).toBe(ok);
});
