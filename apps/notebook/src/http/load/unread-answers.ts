import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { clientKey } from '../addresses/client-ip.ts';
import { findHeldBytes } from '../answers/held-answers.ts';
import { BodiesInFlight, BodyInFlight } from './bodies-in-flight.ts';
import { alwaysAnswered } from './pressure.ts';

/** The operating system buffers smaller answers. */
const smallBytes = 65_536;

/** Bytes that several answers may send and that are in memory only once. */
interface Held {
  readonly bytes: number;
  readonly readers: Map<ServerResponse, BodyInFlight>;
  /** The reader that the bytes are counted for. */
  payer: BodyInFlight | undefined;
}

/**
 * Counts the bytes of prepared answers that their readers have not taken yet. Past the limit, the client with the most of them loses its
 * largest answer. A client past its own share is refused until it reads. Answers that are sent while they are made (routes/large-reads.ts)
 * have other limits.
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

  /** Counts an answer until its reader has all of it or is gone. */
  add(address: string | undefined, response: ServerResponse, answer: string | { readonly length: number }): void {
    if (answer.length < smallBytes || response.destroyed) return;
    // A string as a key would be compared by its content; other answers are compared by identity.
    const key = typeof answer === 'string' ? response : answer;
    const held = this.#held.get(key) ?? { bytes: answer.length, readers: new Map(), payer: undefined };
    this.#held.set(key, held);
    const reader = new BodyInFlight(clientKey(address), () => response.destroy());
    held.readers.set(response, reader);
    response.once('close', () => this.#close(key, held, response));
    if (!held.payer) this.#charge(held, reader);
  }

  /** @throws Refusal `rate_limited` when this client has not read its earlier answers */
  requireAnswersRead(address: string | undefined): void {
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

/** Counts the framework's answers; the front door adds those that it sends itself. */
export function limitUnreadAnswers(app: FastifyInstance, rateLimits: 'on' | 'off'): UnreadAnswers {
  const unread = new UnreadAnswers({
    maxBytes: limits.maxUnreadBytes,
    maxBytesPerClient: rateLimits === 'on' ? limits.maxUnreadBytesPerClient : Number.POSITIVE_INFINITY,
  });
  // Runs after the hook that shares turns: of many concurrent requests, the later ones see the answers to the earlier ones.
  app.addHook('onRequest', async request => {
    if (!alwaysAnswered.has(request.routeOptions.url ?? '')) unread.requireAnswersRead(request.ip);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) unread.add(request.ip, reply.raw, payload);
    const length = findHeldBytes(payload);
    if (length !== undefined) unread.add(request.ip, reply.raw, { length });
  });
  return unread;
}
