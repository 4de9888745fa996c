import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endKeepAlive } from './close-connections.ts';

const pollMillis = 50;

/**
 * Accepts no more connections, answers on open ones and closes each with its next answer. Resolves when none is left, or after
 * `maxMillis`: any connection left by then has been silent the whole time, or is still being answered.
 */
export async function drainConnections(server: Server, maxMillis: number): Promise<void> {
  endKeepAlive(server);
  // The HTTP server's own close() would close connections whose next request may be on its way.
  NetServer.prototype.close.call(server);
  for (const until = performance.now() + maxMillis; performance.now() < until; await sleep(pollMillis)) {
    if ((await countConnections(server)) === 0) return;
  }
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
}
