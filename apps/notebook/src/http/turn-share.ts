import type { FastifyInstance } from 'fastify';
import { turnTaker } from '../event-loop-turns.ts';
import { clientKey } from './client-ip.ts';
import { alwaysAnswered, overloaded } from './pressure.ts';

/** So long, in milliseconds, new requests are begun in one turn of the event loop; the next ones come in the next turn. */
const maxMillis = 8;
/** More of one client are refused: they would only wait behind each other. */
const maxWaitingOfOne = 512;

/**
 * A hundred requests that arrive together are read from their sockets in one turn of the event loop. Begun there one after the other,
 * they would hold it as long as they all take together, and what must always be answered would wait behind them. Clients take turns: whoever
 * sends a thousand waits for them, and nobody else does.
 */
export class TurnShare {
  readonly #now: () => number;
  /** In the order of their turns. */
  readonly #lines = new Map<string, (() => void)[]>();
  /** When the first request of this turn was begun. */
  #since: number | undefined;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves when a request may begin, in the order of asking as far as one client goes; undefined when it may at once.
   * @throws Refusal `unavailable` when too many of this client wait
   */
  enter(client: string): Promise<void> | undefined {
    if (this.#since === undefined) {
      this.#since = this.#now();
      this.#askForTurn();
    }
    if (this.#lines.size === 0 && this.#isTimeLeft()) return undefined;
    const line = this.#lines.get(client) ?? [];
    if (line.length >= maxWaitingOfOne) throw overloaded();
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
    // A tick that is asked for by a microtask comes when no microtask is left: what the request does without waiting is done by then.
    queueMicrotask(() => process.nextTick(this.#beginNext));
  };

  #takeNext(): (() => void) | undefined {
    for (const [client, line] of this.#lines) {
      const next = line.shift();
      this.#lines.delete(client);
      // Behind everybody else.
      if (line.length > 0) this.#lines.set(client, line);
      return next;
    }
    return undefined;
  }
}

/** Begins requests as `TurnShare` lets them. What supervisors ask and what lies ready in memory does not wait for its share. */
export function shareTurns(app: FastifyInstance): void {
  const share = new TurnShare();
  app.addHook('onRequest', async request => {
    if (!alwaysAnswered.has(request.routeOptions.url ?? '')) await share.enter(clientKey(request.ip));
  });
}
