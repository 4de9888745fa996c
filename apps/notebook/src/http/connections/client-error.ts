import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { limitPerTurn } from '../../event-loop-turns.ts';
import { problemOf } from '../answers/problem.ts';
import { beginEnd, isEnding } from './connection-ends.ts';

/** Node's error codes that have their own status; every other code is a 400. */
const known: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The address and the headers of the request are too long.' },
};

/** Codes for a connection that ended in the middle of a request. Thousands may end at once, and no client is waiting for an answer. */
const ended = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

/** The facts that Node has about a connection: the answer under way, and the request that was read last. */
interface Connection {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

/** False when a client would take our words for the answer to an earlier request, or for a part of one. */
function mayAnswer(socket: Connection): boolean {
  const { _httpMessage: response, parser } = socket;
  if (response) return !response.headersSent && !response.req.complete;
  // Answered before its body arrived.
  return parser?.incoming?.complete !== false;
}

/** Node's parser of a connection, for which there is no public API. */
interface Parsed {
  readonly parser?: {
    readonly incoming?: { readonly upgrade: boolean } | null;
    getCurrentBuffer?: () => Buffer | undefined;
  } | null;
}

/**
 * Node copies the packet that it cannot read, up to 64 KiB, into its error (`rawPacket`). Nobody reads it here, and fresh memory for each
 * of a thousand that arrive together is half of what refusing them costs. Without this method's result, the error has no packet. An upgrade
 * needs it: Node lends its parsers to all servers of the process, one after the other.
 */
export function copyNoUnreadable(socket: Duplex): void {
  const { parser } = socket as Parsed;
  if (!parser?.getCurrentBuffer) return;
  const own = Object.getPrototypeOf(parser).getCurrentBuffer as () => Buffer | undefined;
  parser.getCurrentBuffer = () => (parser.incoming?.upgrade ? own.call(parser) : undefined);
}

/** Answers in one turn of the event loop; one takes some 30 µs of processor time. */
const answeredInTurn = 64;
const answerInTurn = limitPerTurn(answeredInTurn);

/** Answers input that Node cannot parse as a request. Nothing more is read from the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Nobody reads the answer, or there was one before.
  if (isEnding(socket)) return;
  let waits = true;
  answerInTurn(() => {
    waits = false;
    answer(error, socket);
  });
  if (waits) beginEnd(socket);
}

function answer(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { code = '' } = error;
  if (socket.writable && !ended.has(code) && mayAnswer(socket as Connection)) {
    const { status, detail } = known[code] ?? { status: 400, detail: 'This is not HTTP/1.1.' };
    const body = JSON.stringify({ ...problemOf('bad_request', { detail }), status });
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}
