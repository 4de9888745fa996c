import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { sendLastAnswer } from './last-answer.ts';

/** Node's error codes that have their own status; every other code is a 400. */
const known: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** The connection is gone, or its client ended it in the middle of a request: nobody waits for an answer. */
const ended: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

/** The facts that Node has about a connection, for which there is no public API: the answer under way, and the parser. */
interface Connection {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: {
    readonly incoming?: { readonly upgrade: boolean } | null;
    getCurrentBuffer?: () => Buffer | undefined;
  } | null;
}

/** Answers input that Node cannot read as a request. It is the last of its connection. */
export function answerUnreadable({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  const status = known[code] ?? 400;
  if (ended.has(code) || !mayAnswer(socket as Connection)) socket.destroy();
  else sendLastAnswer(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** False when a client would take our words for a part of the answer to an earlier request. */
function mayAnswer({ _httpMessage: response }: Connection): boolean {
  return !response?.headersSent;
}

/**
 * Node copies the packet that it cannot read, up to 64 KiB, into its error (`rawPacket`), which nobody reads here. Without this method's
 * result the error has no packet. An upgrade needs it: Node lends its parsers to all servers of the process, one after the other.
 */
export function copyNoUnreadable(socket: Duplex): void {
  const { parser } = socket as Connection;
  if (!parser?.getCurrentBuffer) return;
  const own = Object.getPrototypeOf(parser).getCurrentBuffer as () => Buffer | undefined;
  parser.getCurrentBuffer = () => (parser.incoming?.upgrade ? own.call(parser) : undefined);
}
