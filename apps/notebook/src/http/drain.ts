import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMillis = 50;

/**
 * Takes no connection more, answers on those that are open and closes each with its next answer. Resolves when none is left, or after
 * `mostMillis`: what is left then has been silent all the while, or is still being answered.
 */
export async function drain(server: Server, mostMillis: number): Promise<void> {
  server.prependListener('request', (_request, response) => {
    // Node then says `Connection: close`, also of an answer that lies ready.
    response.shouldKeepAlive = false;
  });
  // Not the HTTP server's own: that would close connections whose next request may be on its way.
  NetServer.prototype.close.call(server);
  for (const until = performance.now() + mostMillis; performance.now() < until; await sleep(lookEveryMillis)) {
    if ((await countConnections(server)) === 0) return;
  }
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
}
