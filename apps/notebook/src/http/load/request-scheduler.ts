import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ClientLines, turnTaker, workFor } from '../../event-loop-turns.ts';
import { isBelowApi } from '../addresses/api-address.ts';
import { clientKey } from '../addresses/client-ip.ts';
import { problemOf } from '../answers/problem.ts';
import { answerOnHalfClose, giveUpOnHalfClose } from '../connections/half-closed.ts';
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
  readonly #untimed: number;
  #sinceLook = 0;
  readonly #lines = new ClientLines<() => void>();
  /** When this turn's first request began. */
  #since: number | undefined;
  /** A request that began before has gone on in this turn. */
  #goesOn = false;

  /** @param untimed requests that may begin before we look at the clock and ask for a turn, where either would cost as much as the answer */
  constructor(now = () => performance.now(), untimed = 0) {
    this.#now = now;
    this.#untimed = untimed;
  }

  /** Whether so many of this client's requests wait that one more should be refused. */
  isFullFor(client: string): boolean {
    return this.#lines.lengthOf(client) >= maxWaitingPerClient;
  }

  /** Resolves when a request may begin, in order per client; undefined when it may begin at once. */
  enter(client: string): Promise<void> | undefined {
    return this.beginsAtOnce() ? undefined : this.wait(client);
  }

  /** Whether a request may begin in this turn; if not, it waits. */
  beginsAtOnce(): boolean {
    if (this.#since === undefined) {
      if (this.#sinceLook < this.#untimed) {
        this.#sinceLook += 1;
        return true;
      }
      this.#sinceLook = 0;
      this.#since = this.#now();
      this.#askForTurn();
    }
    return this.#lines.isEmpty && this.#isTimeLeft();
  }

  /**
   * The same for a request that began before. Of those that ask in one turn, only the first goes on in it: they ask all together, before
   * any of them has used up its time.
   */
  enterAgain(client: string): Promise<void> | undefined {
    if (this.#goesOn) return this.wait(client);
    this.#goesOn = true;
    return this.enter(client);
  }

  /** Resolves in a later turn, in order per client. */
  wait(client: string): Promise<void> {
    return new Promise(go => this.#lines.push(client, go));
  }

  #isTimeLeft(): boolean {
    return this.#now() - this.#since! < maxMillis;
  }

  readonly #askForTurn = turnTaker(() => {
    this.#goesOn = false;
    if (this.#lines.isEmpty) {
      this.#since = undefined;
      return;
    }
    this.#since = this.#now();
    this.#askForTurn();
    this.#beginNext();
  });

  readonly #beginNext = (): void => {
    if (!this.#isTimeLeft()) return;
    const go = this.#lines.shift();
    if (!go) return;
    go();
    // A tick requested by a microtask runs when no microtask is left: by then, the request's work without waiting is done.
    queueMicrotask(() => process.nextTick(this.#beginNext));
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Resolves when this request may go on: for many that waited for the same thing and would all go on in one turn. */
    takeTurn(): Promise<void>;
  }
}

const { extras } = overloaded();
const refusal = {
  problem: { type: 'application/problem+json; charset=utf-8', body: JSON.stringify(problemOf('unavailable', extras)) },
  text: { type: 'text/plain; charset=utf-8', body: `${extras.detail}\n` },
} as const;

/** Prepared: a thousand pages that each say so would block the event loop for 0.2 seconds. */
function refuse(request: FastifyRequest, reply: FastifyReply): void {
  const { type, body } = refusal[isBelowApi(request) ? 'problem' : 'text'];
  reply.hijack();
  reply.raw.writeHead(503, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'retry-after': String(extras.retryAfterSeconds),
    'cache-control': 'no-store',
    'content-type': type,
    // A body may still arrive.
    connection: 'close',
  });
  reply.raw.end(body);
}

/** Calls `go` when the request may begin; refuses it when too many of its client's wait. */
export type BeginRequest = (request: FastifyRequest, reply: FastifyReply, go: () => void) => void;

/**
 * Begins requests as `RequestScheduler` allows. Supervisors' requests and prepared answers in memory do not wait. What a request does later
 * waits in its client's name too (event-loop-turns.ts).
 */
export function scheduleRequests(app: FastifyInstance): BeginRequest {
  const share = new RequestScheduler();
  const begin: BeginRequest = (request, reply, go) => {
    const client = clientKey(request.ip);
    workFor(client, () => {
      if (share.isFullFor(client)) return refuse(request, reply);
      const turn = share.enter(client);
      if (!turn) return go();
      giveUpOnHalfClose(request.raw);
      void turn.then(() => {
        answerOnHalfClose(request.raw);
        // Nobody would read the answer. A change was perhaps sent by a page that was closed.
        if (!reply.raw.destroyed || (request.method !== 'GET' && request.method !== 'HEAD')) go();
      });
    });
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (alwaysAnswered.has(request.routeOptions.url ?? '')) done();
    else begin(request, reply, done);
  });
  app.decorateRequest('takeTurn', async function (this: FastifyRequest) {
    await share.enterAgain(clientKey(this.ip));
  });
  return begin;
}
