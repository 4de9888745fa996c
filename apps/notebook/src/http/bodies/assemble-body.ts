import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { nextTurn } from '../../event-loop-turns.ts';
import { requireNoCoding } from './content-coding.ts';

/** Bytes copied in one turn of the event loop; shorter bodies are concatenated at once. */
const turnBytes = 1_048_576;

/**
 * Assembles a body. Allocating 8 MiB of fresh memory at once would block the event loop for as long as that takes. If pieces were copied as
 * they arrive, a client that withholds bodies would make us allocate twice their memory.
 * @param pieces emptied, so that each is freed once it has been copied
 */
export async function assembleBody(pieces: Buffer[], length: number): Promise<Buffer> {
  if (length <= turnBytes) return Buffer.concat(pieces, length);
  // Not from the pool: the buffer given to a parser shares its memory with nothing else.
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  let inTurn = 0;
  pieces.reverse();
  for (let piece = pieces.pop(); piece; piece = pieces.pop()) {
    if (inTurn + piece.length > turnBytes) {
      inTurn = 0;
      await nextTurn();
    }
    whole.set(piece, at);
    at += piece.length;
    inTurn += piece.length;
  }
  return whole;
}

/** Fastify's own error does not say how much would be accepted. */
export interface BodyTooLarge {
  readonly maxBytes: number;
}

const tooLarge = (maxBytes: number): BodyTooLarge => Object.assign(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), { maxBytes });

/**
 * Reads a body as Fastify does for a parser with `parseAs: 'buffer'`, with the same errors, but assembled in turns of the event loop.
 * @throws FST_ERR_CTP_BODY_TOO_LARGE, FST_ERR_CTP_INVALID_CONTENT_LENGTH, the stream's own error
 */
async function readWhole(request: FastifyRequest, payload: NodeJS.ReadableStream, maxBytes: number): Promise<Buffer> {
  const { pieces, length } = await readPieces(request, payload, maxBytes);
  // Here and not where the last piece arrives: its event is the connection's, and belongs to no client.
  return assembleBody(pieces, length);
}

interface Pieces {
  readonly pieces: Buffer[];
  readonly length: number;
}

function readPieces(request: FastifyRequest, payload: NodeJS.ReadableStream, maxBytes: number): Promise<Pieces> {
  const expected = Number(request.headers['content-length'] ?? Number.NaN);
  if (expected > maxBytes) return Promise.reject(tooLarge(maxBytes));
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const onData = (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length > maxBytes) fail(tooLarge(maxBytes));
    };
    const onEnd = () => {
      if (!Number.isNaN(expected) && length !== expected) return fail(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
      stop();
      resolve({ pieces, length });
    };
    const onError = (error: Error & { statusCode?: number }) => {
      // An error while a body arrives is the sender's fault, unless it says otherwise.
      if ((error.statusCode ?? 0) < 400) error.statusCode = 400;
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

/** A parser that receives a body's bytes. Without `maxBytes`, the server's limit applies. */
export function parseBodies(
  scope: FastifyInstance,
  types: string | string[],
  parse: (request: FastifyRequest, body: Buffer) => unknown,
  maxBytes?: number,
): void {
  scope.addContentTypeParser(types, async (request: FastifyRequest, payload: NodeJS.ReadableStream) => {
    requireNoCoding(request);
    return parse(request, await readWhole(request, payload, maxBytes ?? request.routeOptions.bodyLimit));
  });
}
