import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Where Node keeps the answer that a connection currently serves. */
const answerOf = (socket: Socket) => (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage;

/** How long an open connection may still bring a request. It may be on its way, and its sender could not know whether it was done. */
const lastRequestMs = 250;

/**
 * When the server closes, it answers what comes on open connections, and closes each with its answer, or soon if there is none. Node's own
 * way is to keep a connection open whose answer is under way. A web server in front then sends its next requests there, until the process
 * stops in the middle of one.
 *
 * @returns what cuts every connection, those of WebSockets too, which Node no longer knows
 */
export function closeConnectionsWithServer(server: Server): () => void {
  const open = new Set<Socket>();
  const upgraded = new WeakSet<object>();
  let isClosing = false;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('upgrade', (_request, socket) => upgraded.add(socket));
  const closeIdle = () => {
    for (const socket of open) if (!answerOf(socket) && !upgraded.has(socket)) socket.destroy();
  };
  // `close` calls it.
  server.closeIdleConnections = () => {
    if (isClosing) return;
    isClosing = true;
    for (const event of ['request', 'checkContinue'] as const)
      server.prependListener(event, (_request, response: ServerResponse) => {
        // Node then sends `Connection: close`.
        response.shouldKeepAlive = false;
      });
    for (const socket of open) {
      const response = answerOf(socket);
      if (!response) continue;
      response.shouldKeepAlive = false;
      // If its head was sent before, Node keeps the connection.
      response.once('close', () => socket.destroySoon());
    }
    // Bytes that came while a busy process was late are read in the turns in between.
    setTimeout(() => setImmediate(() => setImmediate(closeIdle)), lastRequestMs).unref();
  };
  return () => {
    for (const socket of open) socket.destroy();
  };
}
