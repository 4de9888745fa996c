import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limitPerTurn } from '../../event-loop-turns.ts';

/** Connections whose end waits for a turn, or for its answer. */
const ending = new WeakSet<Duplex>();

/** Requests and connections; ending one takes some 40 µs of processor time, with all that hangs on it. */
const endedInTurn = 64;
const endInTurn = limitPerTurn(endedInTurn);

/** Whether a connection has ended or will end without another request. */
export function isEnding(socket: Duplex): boolean {
  return socket.destroyed || ending.has(socket);
}

/** From now on nothing more is read of a connection, and no request of it begins. */
export function beginEnd(socket: Duplex): void {
  ending.add(socket);
  socket.pause();
}

/**
 * Also when Node itself ends this connection, it ends at once only if not many others do: two thousand that end together held the
 * event loop for 70 to 280 ms of processor time.
 * @param requests how many of the connection wait: Node makes an error for each
 */
export function endInTurns(socket: Socket, requests: () => number): void {
  const { destroy } = socket;
  let waits = false;
  socket.destroy = error => {
    if (waits || socket.destroyed) return socket;
    waits = true;
    endInTurn(() => {
      waits = false;
      destroy.call(socket, error);
    }, 1 + requests());
    if (waits) beginEnd(socket);
    return socket;
  };
}
