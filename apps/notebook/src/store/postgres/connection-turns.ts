import type { Pool, PoolClient } from 'pg';
import { ClientLines, currentClient } from '../../event-loop-turns.ts';

/** The pool that work on the database takes its connections from. */
export type Connections = Pick<Pool, 'connect'>;

interface Waiting {
  readonly go: () => void;
  /** Nobody waits here any more. */
  isOver: boolean;
}

/**
 * Hands out a pool's connections so that clients take turns. The pool has one line for everybody: behind a thousand reads of one client,
 * each read of another waited for all of them, until it was refused.
 * @param most how many the pool has
 * @param waitMillis after this long without a connection, `connect` rejects as the pool's own does
 */
export function connectInTurns(pool: Connections, most: number, waitMillis: number): { connect(): Promise<PoolClient> } {
  const lines = new ClientLines<Waiting>();
  let free = most;

  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isOver: false,
        go() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.isOver = true;
        reject(new Error('timeout exceeded when trying to connect'));
      }, waitMillis);
      timer.unref();
      lines.push(currentClient(), waiting);
    });
  }

  function passOn(): void {
    let next = lines.shift();
    while (next?.isOver) next = lines.shift();
    if (next) next.go();
    else free += 1;
  }

  return {
    async connect() {
      if (free > 0) free -= 1;
      else await wait();
      try {
        const client = await pool.connect();
        const { release } = client;
        client.release = destroy => {
          release(destroy);
          passOn();
        };
        return client;
      } catch (error) {
        passOn();
        throw error;
      }
    },
  };
}
