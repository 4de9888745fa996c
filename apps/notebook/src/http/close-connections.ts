import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What Node knows of a connection: the answer that it currently serves, and the request that was read last. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

const connections = new WeakMap<Server, Set<Socket>>();

/** From now on, each connection is closed with its next answer, and with the one under way if no other request follows it. */
export function endKeepAlive(server: Server): void {
  for (const socket of connections.get(server) ?? []) {
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
 * an answer that is written and not yet sent, and waits for a head that never comes.
 */
export function closeConnectionsWithServer(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  let closing = false;
  server.on('connection', socket => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // `close` calls it, and so does the framework.
  server.closeIdleConnections = () => {
    if (closing) return;
    closing = true;
    endKeepAlive(server);
    for (const socket of open) closeWithAnswer(socket);
    // What the operating system has is read in the turn in between.
    setImmediate(() => setImmediate(() => closeIdle(open)));
  };
}

function closeWithAnswer(socket: Socket): void {
  const response = (socket as Answering)._httpMessage;
  if (!response) return;
  // Its head may be sent already, so that Node would keep the connection.
  response.shouldKeepAlive = false;
  response.once('close', () => socket.destroySoon());
}

function closeIdle(sockets: Iterable<Socket>): void {
  for (const socket of sockets) if (!(socket as Answering)._httpMessage) socket.destroy();
}
