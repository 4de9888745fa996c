import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isEnding } from './connection-ends.ts';

/** Browsers and proxies wait for each answer; programs send a handful of requests ahead. */
const maxWaiting = 16;
/** On all connections together. Reading 16 heads each from two thousand takes as long as everything else that they ask for. */
const maxWaitingInAll = 1_024;

/** Node's parser of a connection, for which there is no public API. */
interface Parsed {
  readonly parser?: { onIncoming?: ((request: IncomingMessage, keepsAlive: boolean) => number) | null } | null;
}

/** llhttp accepts 0, 1 and 2 as the result of the callback for a request's head. It takes anything else as an error. */
const readNothingMore = -1;

/**
 * Stops reading the rest of a packet when its connection was ended. Node reads a packet to its end even after the connection is gone, and
 * 64 KiB of tiny requests block the event loop for a tenth of a second.
 */
export function stopParsingOnceClosed(socket: Socket): void {
  const { parser } = socket as Parsed;
  const read = parser?.onIncoming;
  // A refused connection has no parser.
  if (!parser || !read) return;
  parser.onIncoming = (request, keepsAlive) => {
    const verdict = read(request, keepsAlive);
    return isEnding(socket) ? readNothingMore : verdict;
  };
}

/**
 * Requests that a client sends on one connection without waiting for answers (RFC 9112 §9.3.2) begin one after the other. If they began at
 * once, a packet of them would put a thousand answers into memory before the first is read. Also, Node never emits `close` for those whose
 * connection ends meanwhile, so they would count as under way forever.
 */
export class PipelinedRequests {
  readonly #waiting = new WeakMap<Socket, number>();
  #waitingInAll = 0;

  /** Whether any request of this connection arrived before the one ahead of it was answered. */
  isPipelined(socket: Socket): boolean {
    return this.#waiting.has(socket);
  }

  /** How many requests of this connection wait. */
  waitingOf(socket: Socket): number {
    return this.#waiting.get(socket) ?? 0;
  }

  /** Begins once the requests ahead on its connection are answered. Too many end the connection; the client may resend unanswered ones. */
  enter({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    // Node gives the connection to one response at a time.
    if (response.socket !== null) {
      begin();
      return;
    }
    if (isEnding(socket)) return;
    if (!this.#waiting.has(socket)) {
      this.#waiting.set(socket, 0);
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
        if (!isEnding(socket)) begin();
      });
    });
  }

  #count(socket: Socket, more: number): void {
    this.#waiting.set(socket, this.#waiting.get(socket)! + more);
    this.#waitingInAll += more;
  }
}
