import type { FastifyInstance } from 'fastify';
import { alwaysAnswered } from './pressure.ts';

/** So long, in milliseconds, new requests are begun in one turn of the event loop; the next ones come in the next turn. */
const maxMillis = 8;

/**
 * A hundred requests that arrive together are read from their sockets in one turn of the event loop. Begun there one after the other,
 * they would hold it as long as they all take together, and what must always be answered would wait behind them.
 */
export class TurnShare {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  /** When the first request of this turn was begun. */
  #since: number | undefined;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Resolves when a request may begin, in the order of asking; undefined when it may at once. */
  enter(): Promise<void> | undefined {
    if (this.#since === undefined) {
      this.#since = this.#now();
      setImmediate(this.#nextTurn);
    }
    if (this.#waiting.length === 0 && this.#isTimeLeft()) return undefined;
    return new Promise(go => this.#waiting.push(go));
  }

  #isTimeLeft(): boolean {
    return this.#now() - this.#since! < maxMillis;
  }

  readonly #nextTurn = (): void => {
    if (this.#waiting.length === 0) {
      this.#since = undefined;
      return;
    }
    this.#since = this.#now();
    setImmediate(this.#nextTurn);
    this.#beginNext();
  };

  readonly #beginNext = (): void => {
    if (!this.#isTimeLeft()) return;
    const go = this.#waiting.shift();
    if (!go) return;
    go();
    // A tick that is asked for by a microtask comes when no microtask is left: what the request does without waiting is done by then.
    queueMicrotask(() => process.nextTick(this.#beginNext));
  };
}

/** Begins requests as `TurnShare` lets them. What supervisors ask and what lies ready in memory does not wait for its share. */
export function shareTurns(app: FastifyInstance): void {
  const share = new TurnShare();
  app.addHook('onRequest', async request => {
    if (!alwaysAnswered.has(request.routeOptions.url ?? '')) await share.enter();
  });
}
