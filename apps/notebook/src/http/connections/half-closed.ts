import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Longer is longer than most answers take. A client that has closed everything looks the same, and what we do for it is for nobody. */
const graceMillis = 2_000;

const givenUp = new WeakSet<IncomingMessage>();

/** From now on this request is not answered when its client ends its side: it waits for its turn. */
export function giveUpOnHalfClose(request: IncomingMessage): void {
  givenUp.add(request);
}

/** Its turn has come. */
export function answerOnHalfClose(request: IncomingMessage): void {
  givenUp.delete(request);
}

/** Where Node keeps the answer that a connection currently serves. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers clients that end their side of the connection once they have asked: `nc -N`, clients of HTTP/1.0, health checks. Node closes their
 * connections without an answer. A client that is gone sends the same, and only what we send it tells that nobody is there. So an answer
 * must have begun soon, and what waits for its turn is dropped at once. A connection lasts no longer than one whose client says nothing.
 */
export function answerHalfClosed(server: Server, millis = graceMillis): void {
  // Node then closes the connection after its last answer, or at once if there is none under way.
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  server.on('connection', (socket: Socket) => {
    // Node has heard it first.
    socket.once('end', () => {
      const response = answerOf(socket);
      if (!response || socket.destroyed) return;
      if (givenUp.has(response.req)) return void socket.destroySoon();
      const timer = setTimeout(() => {
        if (!answerOf(socket)?.headersSent) socket.destroySoon();
      }, millis);
      socket.once('close', () => clearTimeout(timer));
    });
  });
}

const answerOf = (socket: Socket) => (socket as Answering)._httpMessage;
