import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Where Node keeps the answer that a connection currently serves; null while there is none. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Ends a connection whose client has taken nothing of its pending answer for `millis`. Node's own timeout counts a write under way as
 * activity, and would end connections whose answer we are still working on.
 */
export function endStalledReaders(server: Server, millis: number): void {
  server.setTimeout(millis, (socket: Socket) => {
    const response = (socket as Answering)._httpMessage;
    if (response && !response.writableEnded && response.writableLength === 0) socket.setTimeout(millis);
    else socket.destroy();
  });
}
