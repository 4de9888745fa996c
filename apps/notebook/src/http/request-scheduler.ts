import type { FastifyInstance } from 'fastify';
import { turnTaker } from '../event-loop-turns.ts';
import { clientKey } from './client-ip.ts';
import { alwaysAnswered, overloaded } from './pressure.ts';

/** Milliseconds in which new requests may begin in one turn of the event loop; the others begin in the next turn. */
const maxMillis = 8;
/** More requests of one client are refused: they would only wait behind each other. */
const maxWaitingPerClient = 512;

/**
 * Spreads new requests over turns of the event loop. A hundred requests that arrive together are read from their sockets in one turn. If
 * all began in it, they would block the loop for as long as they take together, and requests that must always be answered would wait behind
 * them. Clients take turns: one that sends a thousand requests waits for its own, and nobody else does.
 */
export class RequestScheduler {
  readonly #now: () => number;
  /** In the order of the clients' turns. */
  readonly #lines = new Map<string, (() => void)[]>();
  /** When this turn's first request began. */
  #since: number | undefined;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves when a request may begin, in order per client; undefined when it may begin at once.
   * @throws Refusal `unavailable` when too many of this client's requests wait
   */
  enter(client: string): Promise<void> | undefined {
    if (this.#since === undefined) {
      this.#since = this.#now();
      this.#askForTurn();
    }
    if (this.#lines.size === 0 && this.#isTimeLeft()) return undefined;
    const line = this.#lines.get(client) ?? [];
    if (line.length >= maxWaitingPerClient) throw overloaded();
    this.#lines.set(client, line);
    return new Promise(go => line.push(go));
  }

  #isTimeLeft(): boolean {
    return this.#now() - this.#since! < maxMillis;
  }

  readonly #askForTurn = turnTaker(() => {
    if (this.#lines.size === 0) {
      this.#since = undefined;
      return;
    }
    this.#since = this.#now();
    this.#askForTurn();
    this.#beginNext();
  });

  readonly #beginNext = (): void => {
    if (!this.#isTimeLeft()) return;
    const go = this.#takeNext();
    if (!go) return;
    go();
    // A tick requested by a microtask runs when no microtask is left: by then, the request's work without waiting is done.
    queueMicrotask(() => process.nextTick(this.#beginNext));
  };

  #takeNext(): (() => void) | undefined {
    for (const [client, line] of this.#lines) {
      const next = line.shift();
      this.#lines.delete(client);
      // Moves this client to the end.
      if (line.length > 0) this.#lines.set(client, line);
      return next;
    }
    return undefined;
  }
}

/** Begins requests as `RequestScheduler` allows. Supervisors' requests and prepared answers in memory do not wait. */
export function scheduleRequests(app: FastifyInstance): void {
  const share = new RequestScheduler();
  app.addHook('onRequest', async request => {
    if (!alwaysAnswered.has(request.routeOptions.url ?? '')) await share.enter(clientKey(request.ip));
  });
}
