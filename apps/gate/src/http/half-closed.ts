import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../limits.ts';

/** Where Node keeps the answer that a connection currently serves. */
const answerOf = (socket: Socket) => (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage;

/**
 * Answers clients that end their side of the connection once they have asked: `nc -N`, clients of HTTP/1.0, health checks. Node closes their
 * connections without an answer. A client that is gone sends the same, and only what we send it tells that nobody is there. So a connection
 * on which we send nothing for a while is closed, and the application hears that its client is gone.
 */
export function answerHalfClosed(server: Server, millis: number = limits.halfClosedQuietMs): void {
  // Node then closes the connection after its last answer, or at once if there is none under way.
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  server.on('connection', (socket: Socket) => {
    // Node has heard it first.
    socket.once('end', () => {
      if (answerOf(socket) && !socket.destroyed) closeOnceQuiet(socket, millis);
    });
  });
}

/** Closes a connection whose client ended its side, as soon as we have sent nothing for a while. */
export function closeOnceQuiet(socket: Socket, millis: number = limits.halfClosedQuietMs): void {
  let sent = socket.bytesWritten;
  const looks = setInterval(() => {
    if (socket.bytesWritten === sent) socket.destroy();
    sent = socket.bytesWritten;
  }, millis);
  socket.once('close', () => clearInterval(looks));
}
