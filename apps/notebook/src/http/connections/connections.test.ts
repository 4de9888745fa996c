import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { limitConnections } from './connections.ts';

const servers: http.Server[] = [];
const sockets: net.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  serverSockets.length = 0;
});

const serverSockets: net.Socket[] = [];
/** Requests that the service answered. */
let answered = 0;

async function listen(trustProxy: readonly string[] = []): Promise<number> {
  answered = 0;
  const server = http.createServer((_, response) => {
    answered += 1;
    response.end('here');
  });
  limitConnections(server, { maxPerClient: 2, trustProxy });
  servers.push(server);
  server.on('connection', socket => serverSockets.push(socket));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A connection that stays open, with the first response on it: an answer or a refusal. */
async function open(port: number, localAddress: string): Promise<{ first: string; socket: net.Socket }> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
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
  // When a connection closes, its place is free again.
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

/** Makes the next connections appear to come from these addresses. */
function comeFrom(addresses: readonly (string | undefined)[]): void {
  const left = [...addresses];
  servers.at(-1)!.prependListener('connection', socket => {
    Object.defineProperty(socket, 'remoteAddress', { value: left.shift() });
  });
}

it.each<[string, (string | undefined)[], string[], string[]]>([
  ['a /64 as one client', ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'], [], [ok, ok, full, ok]],
  [
    'IPv4 in IPv6 as IPv4',
    ['::ffff:203.0.113.7', '203.0.113.7', '::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    [],
    [ok, ok, full, ok],
  ],
  ['nobody whose address is not known any more', [undefined, undefined, undefined], [], [ok, ok, ok]],
  ['nothing of a network of one’s own', ['fd00::1', 'fd00::1', 'fd00::1', '::1', '::1', '::1'], [], [ok, ok, ok, ok, ok, ok]],
  ['nothing of a trusted range', ['2001:db8:5::1', '2001:db8:5::1', '2001:db8:5::1'], ['2001:db8:5::/48'], [ok, ok, ok]],
  ['nothing of a trusted address', ['2001:db8::1', '2001:db8::1', '2001:db8::1'], ['2001:db8::1'], [ok, ok, ok]],
])('counts %s', async (_, addresses, trustProxy, firsts) => {
  const port = await listen(trustProxy);
  comeFrom(addresses);
  const found: string[] = [];
  for (const _address of addresses) found.push((await open(port, '127.5.5.5')).first);
  expect(found).toEqual(firsts);
});

it('frees one place for one connection that closes, and reads nothing of who is refused', async () => {
  const port = await listen();
  const [first] = [await open(port, '127.5.5.5'), await open(port, '127.5.5.5')];
  expect((await open(port, '127.5.5.5')).first).toBe(full);
  expect(answered).toBe(2);
  const closed = once(serverSockets[0]!, 'close');
  first!.socket.end();
  await closed;
  expect([(await open(port, '127.5.5.5')).first, (await open(port, '127.5.5.5')).first]).toEqual([ok, full]);
  expect(answered).toBe(3);
});

describe('one that is refused', () => {
  afterEach(() => vi.useRealTimers());

  /**
   * Opens two connections that fill the limit and a third that is refused; returns both ends of it. Its remaining second lasts until the
   * test advances the timer.
   */
  async function refused() {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const port = await listen();
    for (let count = 0; count < 2; count++) await open(port, '127.5.5.5');
    const { first, socket } = await open(port, '127.5.5.5');
    expect(first).toBe(full);
    return { socket, atServer: serverSockets.at(-1)! };
  }

  it('may send all that it has, so that its refusal arrives', async () => {
    const { socket, atServer } = await refused();
    socket.end(Buffer.alloc(1_000_000));
    await once(atServer, 'close');
    expect(atServer.bytesRead).toBe(socket.bytesWritten);
  });

  it('may break off', async () => {
    const { socket, atServer } = await refused();
    const closed = new Promise(resolve => atServer.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
    expect((await open((servers[0]!.address() as AddressInfo).port, '127.5.5.6')).first).toBe(ok);
  });

  it('is closed a second later, whatever it does', async () => {
    const { socket, atServer } = await refused();
    vi.advanceTimersByTime(999);
    expect([atServer.destroyed, socket.writable]).toEqual([false, true]);
    vi.advanceTimersByTime(1);
    expect(atServer.destroyed).toBe(true);
  });
});
