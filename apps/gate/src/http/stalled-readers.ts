import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Node's handle of a connection, for which there is no public API: what was handed to it, and what the system has not taken of that. */
interface Writing {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

/** How much the system has taken, and for how long it has taken no more. */
interface Taken {
  readonly bytes: number;
  forMs: number;
}

/**
 * Ends a connection whose client has taken nothing for a while of what waits for it. Nobody else would: undici does not count the time
 * during which we keep it from reading on, and Node has no time limit for a WebSocket. The application would serve such a client without
 * end. A connection on which nothing waits may be quiet. What the client sends does not count, or one byte now and then would hold it.
 *
 * The system takes bytes for a client that reads slowly, too, but in large portions: a third of what it buffers, up to a megabyte.
 *
 * @param idleMs how long that may be, now: a new configuration may change it
 */
export function endStalledReaders(server: Server, idleMs: () => number, lookEveryMs = 1_000): void {
  const stalled = new Map<Socket, Taken>();
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      stalled.delete(socket);
    });
  });
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    // While this process was stopped or busy, nobody could take anything.
    const passed = Math.min(now - last, 2 * lookEveryMs);
    last = now;
    for (const socket of open) {
      const { _handle: handle } = socket as Writing;
      if (!handle || handle.writeQueueSize === 0) {
        stalled.delete(socket);
        continue;
      }
      const bytes = handle.bytesWritten - handle.writeQueueSize;
      const before = stalled.get(socket);
      if (before?.bytes !== bytes) stalled.set(socket, { bytes, forMs: 0 });
      else {
        before.forMs += passed;
        if (before.forMs >= idleMs()) socket.destroy();
      }
    }
  };
  const looks = setInterval(look, lookEveryMs);
  server.once('close', () => clearInterval(looks));
}
