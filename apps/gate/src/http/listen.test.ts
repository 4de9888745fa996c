import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { listen } from './listen.ts';

const burst = 1_500;
const allowed = process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;

/** Opens so many connections at once, and says so when all are there. */
const clients = `
const { workerData: { port, burst, open } } = require('node:worker_threads');
for (let count = 0; count < burst; count++) {
  require('node:net').connect(port, '127.0.0.1', () => Atomics.add(open, 0, 1) + 1 === burst && Atomics.notify(open, 0)).on('error', () => {});
}`;

it.skipIf(allowed < burst)('a burst of connections waits until it is accepted, none of them is turned away', async () => {
  const server = createServer();
  await listen(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const open = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(clients, { eval: true, workerData: { port, burst, open } });
  // While this thread waits it accepts nothing. A client that is turned away tries again after a second, in vain.
  for (let seen = 0, waits = 0; seen < burst && waits < 40; waits += 1) {
    Atomics.wait(open, 0, seen, 500);
    seen = Atomics.load(open, 0);
  }
  const opened = Atomics.load(open, 0);
  await worker.terminate();
  server.closeAllConnections();
  server.close();
  expect(opened).toBe(burst);
});
