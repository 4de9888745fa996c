import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { countConnections, stopAccepting } from '../../listening/listening-sockets.ts';
import { endKeepAlive } from './close-connections.ts';

const pollMillis = 50;

/**
 * Accepts no more connections, answers on open ones and closes each with its next answer. Resolves when none is left, or after
 * `maxMillis`: any connection left by then has been silent the whole time, or is still being answered.
 */
export async function drainConnections(server: Server, maxMillis: number): Promise<void> {
  endKeepAlive(server);
  stopAccepting(server);
  for (const until = performance.now() + maxMillis; performance.now() < until; await sleep(pollMillis)) {
    if ((await countConnections(server)) === 0) return;
  }
}
