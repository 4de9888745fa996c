import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers and proxies wait for each answer; programs send a handful of requests ahead. */
const maxWaiting = 16;

const waiting = new WeakMap<Socket, number>();

/**
 * Begins a request once those ahead of it on its connection are answered (RFC 9112 §9.3.2). Node hands over all that a packet holds at once,
 * and each would open a connection to the application. Too many end the connection; the client may send again what was not answered.
 */
export function beginInTurn({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
  // Node gives the connection to one response at a time.
  if (response.socket !== null) {
    begin();
    return;
  }
  const before = waiting.get(socket) ?? 0;
  if (socket.destroyed || before >= maxWaiting) {
    socket.destroy();
    return;
  }
  waiting.set(socket, before + 1);
  response.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    // Node is still handing the connection over.
    process.nextTick(() => {
      if (!socket.destroyed) begin();
    });
  });
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
