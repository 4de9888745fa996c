import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The facts that Node has about a connection: the answer that it currently serves, and the request that was read last. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

/** When each of a server's connections was accepted. */
const connections = new WeakMap<Server, Map<Socket, number>>();

/** From now on, each connection is closed with its next answer, and with the one under way if no other request follows it. */
export function endKeepAlive(server: Server): void {
  for (const [socket] of connections.get(server) ?? []) {
    const { _httpMessage: response, parser } = socket as Answering;
    if (response && parser?.incoming === response.req) response.shouldKeepAlive = false;
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
    // Node answers expectations itself while nobody listens for them.
    if (server.listenerCount(event) === 0) continue;
    server.prependListener(event, (_request, response) => {
      // Node then sends `Connection: close`, with prepared answers too.
      response.shouldKeepAlive = false;
    });
  }
}

/**
 * When the server closes, what has arrived is answered, and each connection is closed with its answer, or soon if there is none. Node's own
 * way keeps one whose answer is under way until its keep-alive is over, which is longer than a process may take to stop. It also cuts off
 * an answer that is written and not yet sent, and waits for a head that never comes. A connection that is new has a moment for its request:
 * its client would learn of a reset, and cannot know that nothing was done.
 */
export function closeConnectionsWithServer(server: Server, freshMillis = 250): void {
  const open = new Map<Socket, number>();
  connections.set(server, open);
  let closing = false;
  server.on('connection', socket => {
    open.set(socket, performance.now());
    socket.once('close', () => open.delete(socket));
  });
  // `close` calls it, and so does the framework.
  server.closeIdleConnections = () => {
    if (closing) return;
    closing = true;
    endKeepAlive(server);
    for (const [socket] of open) closeWithAnswer(socket);
    // Bytes that the operating system has are read in the turn in between.
    setImmediate(() => setImmediate(() => closeIdle(open, freshMillis)));
    setTimeout(closeIdle, freshMillis, open, 0).unref();
  };
}

function closeWithAnswer(socket: Socket): void {
  const response = (socket as Answering)._httpMessage;
  if (!response) return;
  // Its head may be sent already, so that Node would keep the connection.
  response.shouldKeepAlive = false;
  response.once('close', () => socket.destroySoon());
}

function closeIdle(sockets: ReadonlyMap<Socket, number>, freshMillis: number): void {
  const freshSince = performance.now() - freshMillis;
  for (const [socket, since] of sockets) {
    const isFresh = socket.bytesRead === 0 && since > freshSince;
    if (!(socket as Answering)._httpMessage && !isFresh) socket.destroy();
  }
}
