import http, { type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { countConnections, openOtherSockets } from './listening-sockets.ts';

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

async function open(answer: RequestListener = (_, response) => response.end(), port = 0): Promise<Server> {
  const server = http.createServer(answer);
  opened.push(server);
  const own = await openOtherSockets(server, { host, port });
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

test.skipIf(oneSocket)('many connections that wait together are accepted in few turns of the event loop', async () => {
  const burst = 400;
  const server = await open();
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
    const before = accepted;
    let turns = 0;
    for (; accepted < burst; turns += 1) await new Promise(resolve => setImmediate(resolve));
    // With one socket it would be as many turns as connections.
    expect(burst - before).toBeGreaterThan(300);
    expect(turns).toBeLessThan(100);
  } finally {
    await worker.terminate();
  }
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
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
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
  await expect(open(undefined, portOf(alone))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  alone.close();
  const first = await open();
  await expect(open(undefined, portOf(first))).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
