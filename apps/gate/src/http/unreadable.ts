import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Node's parser of a connection, for which there is no public API. */
interface Parsed {
  readonly parser?: {
    readonly incoming?: { readonly upgrade: boolean } | null;
    getCurrentBuffer?: () => Buffer | undefined;
  } | null;
}

/**
 * Node copies the packet that it cannot read, up to 64 KiB, into its error (`rawPacket`). Nobody reads it here, and fresh memory for each
 * of a thousand that arrive together is most of what refusing them costs. Without this method's result, the error has no packet. An upgrade
 * needs it: what follows its head is the first part of the stream. Where Node has no such method, packets are copied as before.
 */
function copyNoUnreadable(socket: Duplex): void {
  const { parser } = socket as Parsed;
  if (!parser?.getCurrentBuffer) return;
  const own = Object.getPrototypeOf(parser).getCurrentBuffer as () => Buffer | undefined;
  parser.getCurrentBuffer = () => (parser.incoming?.upgrade ? own.call(parser) : undefined);
}

/** Answers what Node cannot read as a request, and closes its connection. */
export function answerUnreadable(server: Server): void {
  server.on('connection', copyNoUnreadable);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
}
