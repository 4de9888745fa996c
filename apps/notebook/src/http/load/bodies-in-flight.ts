import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { clientKey } from '../addresses/client-ip.ts';
import { readMore } from '../bodies/body-turns.ts';
import { ChunkCount } from '../bodies/chunk-count.ts';
import { drainBody } from '../bodies/drain-body.ts';

export interface InFlightLimits {
  readonly maxBytes: number;
  /** Absent: one client may use the whole limit. */
  readonly maxBytesPerClient?: number | undefined;
  /** A body of which nothing arrives for this long is given up. */
  readonly stallMillis: number;
}

/** Bodies up to this size that came with their head are counted at once; all others are counted as they arrive. */
const smallBytes = 65_536;

/** A body between its first byte and the moment when its answer is ready. */
export class BodyInFlight {
  readonly client: string;
  readonly refuse: (refusal: Refusal) => void;
  bytes = 0;
  /** A body that has arrived is in use: it can no longer be refused, and counts until it is closed. */
  hasArrived = false;
  /** True once the rest of it is no longer kept. */
  isClosed = false;

  constructor(client: string, refuse: (refusal: Refusal) => void) {
    this.client = client;
    this.refuse = refuse;
  }
}

/**
 * Counts the bytes of all bodies that were received and not yet answered. Past the limit, the client with the most bytes in flight loses
 * its largest body that is still arriving, so that a client that withholds many bodies cannot keep out one that sends a single body.
 */
export class BodiesInFlight {
  readonly #limits: Omit<InFlightLimits, 'stallMillis'>;
  readonly #bodies = new Set<BodyInFlight>();
  readonly #byClient = new Map<string, number>();
  #bytes = 0;

  constructor(limits: Omit<InFlightLimits, 'stallMillis'>) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts more bytes of a body; that same body may be refused. */
  add(body: BodyInFlight, bytes: number): void {
    if (body.isClosed) return;
    this.#bodies.add(body);
    this.#count(body, bytes);
    const { maxBytes, maxBytesPerClient = maxBytes } = this.#limits;
    if (this.bytesOf(body.client) > maxBytesPerClient) {
      this.#refuse(
        body,
        new Refusal('rate_limited', { retryAfterSeconds: 2, detail: 'You are sending too much at the same time.' }),
      );
    }
    while (this.#bytes > maxBytes) {
      const most = this.#greediest();
      if (!most) return;
      this.#refuse(
        most,
        new Refusal('unavailable', { retryAfterSeconds: 2, detail: 'The service is receiving too much at the same time.' }),
      );
    }
  }

  /** Closes a body whose answer is ready, or that will get none. */
  close(body: BodyInFlight): void {
    body.isClosed = true;
    if (!this.#bodies.delete(body)) return;
    this.#count(body, -body.bytes);
  }

  #count(body: BodyInFlight, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    const left = this.bytesOf(body.client) + bytes;
    if (left === 0) this.#byClient.delete(body.client);
    else this.#byClient.set(body.client, left);
  }

  bytesOf(client: string): number {
    return this.#byClient.get(client) ?? 0;
  }

  #refuse(body: BodyInFlight, refusal: Refusal): void {
    this.close(body);
    body.refuse(refusal);
  }

  /** The largest body still arriving, of the client that has the most bytes in flight. */
  #greediest(): BodyInFlight | undefined {
    let most: BodyInFlight | undefined;
    for (const body of this.#bodies) {
      if (body.hasArrived) continue;
      const more = most ? this.bytesOf(body.client) - this.bytesOf(most.client) || body.bytes - most.bytes : 1;
      if (more > 0) most = body;
    }
    return most;
  }
}

interface Following {
  readonly client: string;
  readonly onChunk: (bytes: number) => void;
  /** Called when more of it may come, after it was held up. */
  readonly onGoOn: () => void;
}

/** A body that is counted while it arrives. */
class CountedBody extends Transform {
  readonly #following: Following;
  /** Nothing more is read of it until a later turn of the event loop, so its client cannot send. */
  isHeldUp = false;

  constructor(following: Following) {
    super();
    this.#following = following;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const { client, onChunk, onGoOn } = this.#following;
    onChunk(chunk.length);
    if (this.destroyed) return;
    this.isHeldUp = !readMore(client, chunk.length, () => {
      if (this.destroyed) return;
      if (this.isHeldUp) onGoOn();
      this.isHeldUp = false;
      done(null, chunk);
    });
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The body was refused while it arrived: the rest is read and dropped before the answer. */
    bodyCutOff?: boolean;
  }
}

function countWhole(flight: BodiesInFlight, client: string, bytes: number): BodyInFlight {
  let refused: Refusal | undefined;
  const body = new BodyInFlight(client, refusal => {
    refused = refusal;
  });
  flight.add(body, bytes);
  if (refused) throw refused;
  body.hasArrived = true;
  return body;
}

function countArriving(
  flight: BodiesInFlight,
  request: FastifyRequest,
  payload: NodeJS.ReadableStream,
  client: string,
  stallMillis: number,
): { body: BodyInFlight; stream: CountedBody; stop: () => void } {
  const cutOff = (refusal: Refusal) => {
    request.bodyCutOff = true;
    payload.unpipe(stream);
    stream.destroy(refusal);
  };
  const body = new BodyInFlight(client, cutOff);
  const stalled = () => {
    if (stream.isHeldUp) timer.refresh();
    else cutOff(new Refusal('bad_request', { detail: 'The body stopped arriving.' }));
  };
  const timer = setTimeout(stalled, stallMillis).unref();
  const chunks = new ChunkCount();
  const stream = new CountedBody({
    client,
    onChunk: bytes => {
      timer.refresh();
      if (chunks.add(bytes)) flight.add(body, bytes);
      // Nothing more is read of the request, so an answer with the reason would not be read either.
      else request.raw.destroy();
    },
    onGoOn: () => timer.refresh(),
  });
  const stop = () => clearTimeout(timer);
  stream.once('end', stop).once('close', stop);
  stream.once('end', () => {
    body.hasArrived = true;
  });
  // Once the parser has detached, no code handles an error.
  stream.on('error', () => {});
  payload.once('error', error => stream.destroy(error));
  payload.pipe(stream);
  return { body, stream, stop };
}

/** Counts every body from its first byte until its answer is ready. After that the body is not kept, however slowly the answer is read. */
export function limitBodies(app: FastifyInstance, bounds: InFlightLimits): BodiesInFlight {
  const flight = new BodiesInFlight(bounds);
  const open = new WeakMap<FastifyReply, BodyInFlight>();
  const closeOf = (reply: FastifyReply) => {
    const body = open.get(reply);
    if (body) flight.close(body);
  };
  app.addHook('preParsing', async (request, reply, payload) => {
    // A request without a body (RFC 9112 §6.3) must not be held in memory for one that never arrives.
    if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return payload;
    const client = clientKey(request.ip);
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    // A body that is only promised costs no memory. Counted in full, a thousand promises would be all that may be in flight.
    if (length <= smallBytes && request.raw.complete) {
      if (length > 0) open.set(reply, countWhole(flight, client, length));
      reply.raw.once('close', () => closeOf(reply));
      return payload;
    }
    // The body is refused for its size before a byte of it is read.
    if (length > (request.routeOptions.bodyLimit ?? limits.maxBodyBytes)) return payload;
    const { body, stream, stop } = countArriving(flight, request, payload, client, bounds.stallMillis);
    open.set(reply, body);
    reply.raw.once('close', () => {
      stop();
      closeOf(reply);
      // Nobody may have read it (a GET, an unsupported type), and the next request of the connection comes after it.
      void drainBody(request.raw);
    });
    return stream;
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (open.has(reply)) {
      closeOf(reply);
      request.body = undefined;
    }
    done(null, payload);
  });
  app.addHook('onResponse', async (_, reply) => closeOf(reply));
  return flight;
}
