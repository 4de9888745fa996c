import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';

/** Shorter bodies are put together in one go, which nobody notices. */
const largeBytes = 262_144;

/**
 * A body as it arrives. Once a quarter of a large one is there, the rest is copied to its place piece by piece: put together at the end, 8 MiB
 * of fresh memory would hold the event loop for as long as it takes to get them. Not before, because whoever only announces a large body
 * should not make us ask for its memory.
 */
export class BodyBytes {
  readonly #expected: number;
  #pieces: Buffer[] = [];
  #whole: Buffer | undefined;
  #length = 0;

  /** @param expected its Content-Length, NaN where the sender gives none */
  constructor(expected: number) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (this.#whole) this.#whole.set(piece.subarray(0, this.#whole.length - this.#length), this.#length);
    else this.#pieces.push(piece);
    this.#length += piece.length;
    if (!this.#whole && this.#expected >= largeBytes && this.#length * 4 >= this.#expected) this.#begin();
  }

  /** Once, at its end. */
  take(): Buffer {
    return this.#whole ?? Buffer.concat(this.#pieces, this.#length);
  }

  #begin(): void {
    if (this.#length > this.#expected) return;
    // Never of the pool: what a parser is given shares its memory with nothing else.
    const whole = Buffer.allocUnsafeSlow(this.#expected);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#whole = whole;
    this.#pieces = [];
  }
}

/**
 * As Fastify reads a body for a parser with `parseAs: 'buffer'`, with the same errors, but into its place.
 * @throws FST_ERR_CTP_BODY_TOO_LARGE, FST_ERR_CTP_INVALID_CONTENT_LENGTH, the stream's own error
 */
function readWhole(request: FastifyRequest, payload: NodeJS.ReadableStream, maxBytes: number): Promise<Buffer> {
  const expected = Number(request.headers['content-length'] ?? Number.NaN);
  if (expected > maxBytes) return Promise.reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  const bytes = new BodyBytes(expected);
  return new Promise((resolve, reject) => {
    const onData = (piece: Buffer) => {
      bytes.add(piece);
      if (bytes.length > maxBytes) fail(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    };
    const onEnd = () => {
      if (!Number.isNaN(expected) && bytes.length !== expected) return fail(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
      stop();
      resolve(bytes.take());
    };
    const onError = (error: Error & { statusCode?: number }) => {
      // What keeps a body from arriving is the sender's, unless it says otherwise.
      if (!(typeof error.statusCode === 'number' && error.statusCode >= 400)) error.statusCode = 400;
      fail(error);
    };
    const stop = () => payload.off('data', onData).off('end', onEnd).off('error', onError);
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError);
    payload.resume();
  });
}

/** A parser that is given a body's bytes. Without `maxBytes` the server's limit holds. */
export function parseBodies(
  scope: FastifyInstance,
  types: string | string[],
  parse: (request: FastifyRequest, body: Buffer) => unknown,
  maxBytes?: number,
): void {
  scope.addContentTypeParser(types, async (request: FastifyRequest, payload: NodeJS.ReadableStream) =>
    parse(request, await readWhole(request, payload, maxBytes ?? request.routeOptions.bodyLimit)),
  );
}
