import type { Duplex } from 'node:stream';
import { limits } from '../limits.ts';

/**
 * Sends the last answer of a connection and closes it. Node hands over the socket of a CONNECT or an upgrade without listeners: an error of
 * it, a reset by the client for one, would end the process. What the client still sends is dropped, because closing a connection with unread
 * octets resets it, and the answer could be lost. A client that does not close its side has a moment to read the answer.
 */
export function sendLastAnswer(socket: Duplex, text: string, millis: number = limits.lastAnswerMs): void {
  socket.on('error', () => socket.destroy());
  if (!socket.writable) return void socket.destroy();
  socket.end(text);
  socket.resume();
  const clock = setTimeout(() => socket.destroy(), millis);
  socket.once('close', () => clearTimeout(clock));
}
