import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers and proxies wait for each answer; programs send a handful of requests ahead. */
const maxWaiting = 16;
/** On all connections of a server: without it, two thousand connections keep 30,000 heads, of up to 32 KiB, in memory. */
const maxWaitingInAll = 1_024;

/**
 * Begins a request once those ahead of it on its connection are answered (RFC 9112 §9.3.2). Node hands over all that a packet holds at once,
 * and each would open a connection to the application. Too many end the connection; the client may send again what was not answered.
 */
export class PipelinedRequests {
  readonly #waiting = new WeakMap<Socket, number>();
  #waitingInAll = 0;

  begin({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    // Node gives the connection to one response at a time.
    if (response.socket !== null) {
      begin();
      return;
    }
    if (socket.destroyed) return;
    if (!this.#waiting.has(socket)) {
      this.#waiting.set(socket, 0);
      // Node tells none of those that wait that their connection has ended.
      socket.once('close', () => this.#count(socket, -this.#waiting.get(socket)!));
    }
    if (this.#waiting.get(socket)! >= maxWaiting || this.#waitingInAll >= maxWaitingInAll) {
      socket.destroy();
      return;
    }
    this.#count(socket, 1);
    response.once('socket', () => {
      this.#count(socket, -1);
      // Node is still handing the connection over.
      process.nextTick(() => {
        if (!socket.destroyed) begin();
      });
    });
  }

  #count(socket: Socket, more: number): void {
    this.#waiting.set(socket, this.#waiting.get(socket)! + more);
    this.#waitingInAll += more;
  }
}

/** Node's parser of a connection, for which there is no public API. */
interface Parsed {
  readonly parser?: { onIncoming?: ((request: IncomingMessage, keepsAlive: boolean) => number) | null } | null;
}

/** llhttp accepts 0, 1 and 2 as the result of the callback for a request's head. It takes anything else as an error. */
const readNothingMore = -1;

/** Stops reading the rest of a packet once its connection was ended: Node would go on, for thousands of tiny requests. */
export function stopReadingOnceClosed(socket: Socket): void {
  const { parser } = socket as Parsed;
  const read = parser?.onIncoming;
  if (!parser || !read) return;
  parser.onIncoming = (request, keepsAlive) => {
    const verdict = read(request, keepsAlive);
    return socket.destroyed ? readNothingMore : verdict;
  };
}
