import { readFileSync } from 'node:fs';
import http, { type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { acceptLast, countConnections, openOtherSockets, socketsPerProcess } from './listening-sockets.ts';

const host = '127.0.0.1';
const oneSocket = process.platform !== 'linux' && 'only Linux spreads connections over the sockets of a port';
const opened: Server[] = [];
const clients: net.Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of opened.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function open(answer: RequestListener = (_, response) => response.end(), at: { host?: string; port?: number } = {}) {
  const server = http.createServer(answer);
  opened.push(server);
  const own = await openOtherSockets(server, { host, port: 0, ...at });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(own, resolve);
  });
  return server;
}

const portOf = (server: net.Server) => (server.address() as AddressInfo).port;

async function connect(server: Server): Promise<net.Socket> {
  const client = net.connect(portOf(server), host);
  client.on('error', () => {});
  clients.push(client);
  await new Promise(resolve => client.once('connect', resolve));
  return client;
}

/** A port that nobody listens on any more. */
const isClosed = (port: number) =>
  new Promise<boolean>(resolve => {
    const client = net.connect(port, host);
    client.once('connect', () => {
      client.destroy();
      resolve(false);
    });
    client.once('error', () => resolve(true));
  });

/** Runs while `burst` clients are connected of which this thread has accepted few. */
async function withWaiting(server: Server, burst: number, run: (accepted: () => number) => Promise<void>): Promise<void> {
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { workerData: { port, host, burst, connected } } = require('node:worker_threads');
    const count = () => Atomics.add(connected, 0, 1) === burst - 1 && Atomics.notify(connected, 0);
    for (let at = 0; at < burst; at++) require('node:net').connect(port, host, count).on('error', () => {});`;
  const worker = new Worker(code, { eval: true, workerData: { port: portOf(server), host, burst, connected } });
  try {
    let accepted = 0;
    server.on('connection', () => {
      accepted += 1;
    });
    await new Promise(resolve => worker.once('online', resolve));
    // The system connects them while this thread accepts none.
    for (let seen = 0; seen < burst; seen = Atomics.load(connected, 0)) Atomics.wait(connected, 0, seen, 100);
    await run(() => accepted);
  } finally {
    await worker.terminate();
  }
}

test.skipIf(oneSocket)('many connections that wait together are accepted in few turns of the event loop', async () => {
  const burst = 400;
  const server = await open();
  await withWaiting(server, burst, async accepted => {
    const before = accepted();
    let turns = 0;
    for (; accepted() < burst; turns += 1) await new Promise(resolve => setImmediate(resolve));
    // With one socket it would be as many turns as connections.
    expect(burst - before).toBeGreaterThan(300);
    expect(turns).toBeLessThan(100);
  });
});

test.skipIf(oneSocket)('connections that wait when the server ends are accepted before its sockets close', async () => {
  const burst = 400;
  const server = await open();
  const port = portOf(server);
  await withWaiting(server, burst, async accepted => {
    expect(burst - accepted()).toBeGreaterThan(300);
    await acceptLast(server);
    expect(accepted()).toBe(burst);
    expect(await isClosed(port)).toBe(true);
  });
});

test('connections without end do not keep the server from ending', async () => {
  const server = await open();
  let flooding = true;
  const flood = () => {
    server.emit('connection', new net.Socket());
    if (flooding) setImmediate(flood);
  };
  flood();
  await acceptLast(server, 20);
  flooding = false;
  expect(server.listening).toBe(false);
});

test('the connections of all sockets are counted, and the server is closed when all are', async () => {
  const answers: http.ServerResponse[] = [];
  const server = await open((_, response) => answers.push(response));
  const port = portOf(server);
  const sockets = await Promise.all(Array.from({ length: 64 }, () => connect(server)));
  const received = sockets.map(
    socket =>
      new Promise<string>(resolve => {
        let text = '';
        socket.on('data', data => {
          text += data;
        });
        socket.once('close', () => resolve(text));
      }),
  );
  // They end their side, as simple clients do, and the answer still reaches them where the HTTP server lets it (http/half-closed.ts).
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  for (const socket of sockets) socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await expect.poll(() => answers.length).toBe(64);
  expect(await countConnections(server)).toBe(64);
  let isOver = false;
  const closed = new Promise<void>(resolve =>
    server.close(() => {
      isOver = true;
      resolve();
    }),
  );
  expect(await isClosed(port)).toBe(true);
  for (const response of answers.slice(1)) response.end('done');
  await expect.poll(() => countConnections(server)).toBe(1);
  expect(isOver).toBe(false);
  answers[0]!.end('done');
  await closed;
  for (const text of await Promise.all(received)) expect(text).toMatch(/ 200 OK[\s\S]*done$/);
});

test('a port that another program uses is refused, also when that one has several sockets', async () => {
  const alone = net.createServer().listen(0, host);
  await new Promise(resolve => alone.once('listening', resolve));
  await expect(open(undefined, { port: portOf(alone) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  alone.close();
  const first = await open();
  await expect(open(undefined, { port: portOf(first) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('a port that nobody uses any more is taken', async () => {
  const server = await open();
  const port = portOf(server);
  await new Promise(resolve => server.close(resolve));
  expect(portOf(await open(undefined, { port }))).toBe(port);
});

test('an address that this machine does not have is refused with the system’s word', async () => {
  // RFC 5737 keeps it for documentation.
  const error = { code: 'EADDRNOTAVAIL' };
  await expect(open(undefined, { host: '192.0.2.1' })).rejects.toMatchObject(error);
  await expect(open(undefined, { host: '192.0.2.1', port: 9 })).rejects.toMatchObject(error);
});

test.skipIf(oneSocket)('as many sockets listen on the port as it says', async () => {
  const port = portOf(await open())
    .toString(16)
    .toUpperCase()
    .padStart(4, '0');
  // Address and state of each socket; 0A is one that listens.
  const lines = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/));
  expect(lines.filter(([, local, , state]) => local === `0100007F:${port}` && state === '0A')).toHaveLength(socketsPerProcess);
});

test.skipIf(oneSocket)(
  'connections of every socket are sent without delay, and faults of every socket are the server’s',
  async () => {
    const server = await open();
    const sockets = new Set<net.Server>();
    const delays = new Set<unknown>();
    // Before the HTTP server, which calls itself the socket's server.
    server.prependListener('connection', (connection: net.Socket & { server: net.Server }) => {
      sockets.add(connection.server);
      const isUndelayed = Object.getOwnPropertySymbols(connection).find(({ description }) => description === 'kSetNoDelay');
      delays.add((connection as unknown as Record<symbol, unknown>)[isUndelayed!]);
    });
    await Promise.all(Array.from({ length: 64 }, () => connect(server)));
    await expect.poll(() => sockets.size).toBeGreaterThan(3);
    expect([...delays]).toEqual([true]);
    const faults: Error[] = [];
    server.on('error', error => faults.push(error));
    const made = [...sockets].map((socket, at) => {
      const error = new Error(`accept ${at}`);
      socket.emit('error', error);
      return error;
    });
    expect(faults).toEqual(made);
  },
);
