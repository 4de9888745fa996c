import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import { BodiesInFlight, BodyInFlight } from './bodies-in-flight.ts';
import { clientKey } from './client-ip.ts';
import { bytesHeldBy } from './held-answers.ts';
import { alwaysAnswered } from './pressure.ts';

/** Smaller ones lie with the system, not with us. */
const smallBytes = 65_536;

/** What several answers may send stands in memory once. */
interface Held {
  readonly bytes: number;
  readonly readers: Map<ServerResponse, BodyInFlight>;
  /** For whom it counts. */
  payer: BodyInFlight | undefined;
}

/**
 * The bytes of answers that lie ready and were not yet taken by their readers. Past the bound the client with most of them loses its
 * largest answer, and a client past its own share is answered nothing that is long. What is sent as it is made (routes/large-reads.ts) has other bounds.
 */
export class UnreadAnswers {
  readonly #flight: BodiesInFlight;
  readonly #maxBytesPerClient: number;
  readonly #held = new Map<unknown, Held>();

  constructor({ maxBytes, maxBytesPerClient }: { readonly maxBytes: number; readonly maxBytesPerClient: number }) {
    this.#flight = new BodiesInFlight({ maxBytes });
    this.#maxBytesPerClient = maxBytesPerClient;
  }

  get bytes(): number {
    return this.#flight.bytes;
  }

  /** Counts an answer until its reader has all of it, or is gone. */
  add(address: string | undefined, response: ServerResponse, answer: string | { readonly length: number }): void {
    if (answer.length < smallBytes || response.destroyed) return;
    // A text is looked up by its letters, anything else by what it is.
    const key = typeof answer === 'string' ? response : answer;
    const held = this.#held.get(key) ?? { bytes: answer.length, readers: new Map(), payer: undefined };
    this.#held.set(key, held);
    const reader = new BodyInFlight(clientKey(address), () => response.destroy());
    held.readers.set(response, reader);
    response.once('close', () => this.#close(key, held, response));
    if (!held.payer) this.#charge(held, reader);
  }

  /** @throws Refusal `rate_limited` when this client has not read what it was sent */
  requireRoom(address: string | undefined): void {
    const most = this.#maxBytesPerClient;
    if (this.bytes < most || this.#flight.bytesOf(clientKey(address)) < most) return;
    throw new Refusal('rate_limited', { retryAfterSeconds: 2, detail: 'You have not read what you asked for before.' });
  }

  #charge(held: Held, reader: BodyInFlight): void {
    held.payer = reader;
    this.#flight.add(reader, held.bytes);
  }

  #close(key: unknown, held: Held, response: ServerResponse): void {
    const reader = held.readers.get(response)!;
    held.readers.delete(response);
    this.#flight.close(reader);
    const [next] = held.readers.values();
    if (!next) this.#held.delete(key);
    else if (held.payer === reader) this.#charge(held, next);
  }
}

/** Counts what is answered with the framework; what it knows nothing of is added at the front door. */
export function boundAnswers(app: FastifyInstance, rateLimits: 'on' | 'off'): UnreadAnswers {
  const unread = new UnreadAnswers({
    maxBytes: limits.maxUnreadBytes,
    maxBytesPerClient: rateLimits === 'on' ? limits.maxUnreadBytesPerClient : Number.POSITIVE_INFINITY,
  });
  // Behind the hook that shares turns: of many requests that come together, the later ones see what the earlier were answered.
  app.addHook('onRequest', async request => {
    if (!alwaysAnswered.has(request.routeOptions.url ?? '')) unread.requireRoom(request.ip);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) unread.add(request.ip, reply.raw, payload);
    const length = bytesHeldBy(payload);
    if (length !== undefined) unread.add(request.ip, reply.raw, { length });
  });
  return unread;
}
