import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers and proxies wait for each answer, programs send a handful of requests ahead. */
const mostWaiting = 16;

/** Node's parser of a connection. No public way leads to it. */
interface Parsed {
  readonly parser?: { onIncoming?: ((request: IncomingMessage, keepsAlive: boolean) => number) | null } | null;
}

/** Of what answers a head, llhttp goes on at 0, 1 and 2. Anything else it calls an error. */
const readNothingMore = -1;

/**
 * What is left of a packet is not read when its connection was ended over the beginning. Node reads a packet to its end whatever becomes of the
 * connection, and 64 KiB of tiny requests hold the event loop for a tenth of a second.
 */
export function stopReadingEnded(socket: Socket): void {
  const { parser } = socket as Parsed;
  const read = parser?.onIncoming;
  // A connection that is refused has no parser.
  if (!parser || !read) return;
  parser.onIncoming = (request, keepsAlive) => {
    const verdict = read(request, keepsAlive);
    return socket.destroyed ? readNothingMore : verdict;
  };
}

/**
 * Requests that a client sends on one connection without waiting for answers (RFC 9112 §9.3.2) begin one after the other. Begun at once, a
 * packet of them would be a thousand answers in memory before the first is read; and those whose connection ends meanwhile node never
 * calls closed, so that they would count as under way for ever.
 */
export class RequestLine {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Whether a request of this connection ever came before the one ahead of it was answered. */
  isPipelined(socket: Socket): boolean {
    return this.#waiting.has(socket);
  }

  /** Begins when what is ahead on its connection is answered. Too many end the connection; the client may send again what was not answered. */
  enter({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    // Node gives the connection to one response at a time.
    if (response.socket !== null) {
      begin();
      return;
    }
    if (socket.destroyed) return;
    const waiting = this.#waiting.get(socket) ?? 0;
    this.#waiting.set(socket, waiting + 1);
    if (waiting >= mostWaiting) {
      socket.destroy();
      return;
    }
    response.once('socket', () => {
      this.#waiting.set(socket, this.#waiting.get(socket)! - 1);
      // Node is still in the middle of handing the connection over.
      process.nextTick(() => {
        if (!socket.destroyed) begin();
      });
    });
  }
}
