import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Where node keeps the answer that a connection is for now; null while there is none. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Ends connections whose client takes nothing of what lies ready for it, for so long. Node's own timeout counts a write that goes on as
 * activity, and would end connections for whose answer it is us who need time.
 */
export function endStalledReaders(server: Server, millis: number): void {
  server.setTimeout(millis, (socket: Socket) => {
    const response = (socket as Answering)._httpMessage;
    if (response && !response.writableEnded && response.writableLength === 0) socket.setTimeout(millis);
    else socket.destroy();
  });
}
