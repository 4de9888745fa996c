import type { Server } from 'node:http';
import net, { type AddressInfo, Server as NetServer } from 'node:net';
import { listenAddress } from './listen-address.ts';

/**
 * Node accepts one connection of each listening socket in a turn of the event loop, and the system keeps 511 waiting. While a turn takes
 * 5 ms, a burst of 1,900 connections kept everybody else out for 3 seconds. Linux spreads connections over all sockets of a port.
 */
export const socketsPerProcess = 16;

const others = new WeakMap<Server, readonly NetServer[]>();

export interface ListenAt {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Sockets that are already open, of which each process of several has its own. */
  readonly fds?: readonly number[] | undefined;
}

/** The options of `listen`. Node's types do not have all of it. */
interface At {
  readonly host: string;
  readonly port: number;
  readonly reusePort?: true;
  readonly fd?: number;
}

/**
 * Opens all listening sockets but the server's own.
 * @returns where the server itself must listen
 * @throws the system's error, when the port cannot be used
 */
export async function openOtherSockets(server: Server, { host: name, port, fds }: ListenAt): Promise<At> {
  const host = await listenAddress(name);
  if (fds) {
    const [own, ...rest] = fds;
    others.set(server, await Promise.all(rest.map(fd => openSocket(server, { host, port, fd }))));
    closeWithServer(server);
    return { host, port, fd: own! };
  }
  if (port !== 0) await requireFree(host, port);
  const [first] = await Promise.allSettled([openSocket(server, { host, port, reusePort: true })]);
  // Some systems cannot do it.
  if (first.status === 'rejected') return { host, port };
  const at = { host, port: (first.value.address() as AddressInfo).port, reusePort: true } as const;
  const rest = Array.from({ length: socketsPerProcess - 2 }, () => openSocket(server, at));
  others.set(server, [first.value, ...(await Promise.all(rest))]);
  closeWithServer(server);
  return at;
}

/**
 * Accepts the connections that wait in the system's lines, then stops accepting: to their clients they are open, and Linux resets those that
 * wait when a socket closes. Node accepts one of each socket in a turn of the event loop, so the first turn that brings none is the last.
 * @param mostMillis a flood must not keep the process from ending
 */
export async function acceptLast(server: Server, mostMillis = 1_000): Promise<void> {
  if (!server.listening) return;
  let accepted = true;
  const note = () => {
    accepted = true;
  };
  server.on('connection', note);
  for (const until = performance.now() + mostMillis; accepted && performance.now() < until; ) {
    accepted = false;
    // Connections are accepted between the two.
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', note);
  stopAccepting(server);
}

const nextTurn = () => new Promise(resolve => setImmediate(resolve));

/** Accepts nothing more; open connections stay. */
export function stopAccepting(server: Server): void {
  // The HTTP server's own close() would close connections whose next request may be on its way.
  for (const socket of [server, ...(others.get(server) ?? [])]) NetServer.prototype.close.call(socket);
}

export async function countConnections(server: Server): Promise<number> {
  const counts = [server, ...(others.get(server) ?? [])].map(
    socket =>
      new Promise<number>((resolve, reject) => socket.getConnections((error, count) => (error ? reject(error) : resolve(count)))),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/**
 * Sockets that share a port would share it with another program of the same user, too. So one that shares nothing must be able to open it.
 * @throws the system's error
 */
export async function requireFree(host: string, port: number): Promise<void> {
  const alone = await listen(net.createServer(), { host, port });
  await new Promise<unknown>(resolve => alone.close(resolve));
}

/** Its connections are the HTTP server's, whose own are opened with the same two options. */
async function openSocket(server: Server, at: At): Promise<NetServer> {
  const socket = net.createServer({ allowHalfOpen: true, noDelay: true });
  socket.on('connection', connection => server.emit('connection', connection));
  await listen(socket, at);
  socket.on('error', error => server.emit('error', error));
  return socket;
}

function listen(socket: NetServer, at: At): Promise<NetServer> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.listen(at, () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** The server is closed once the connections of all sockets are. */
function closeWithServer(server: Server): void {
  const close = server.close.bind(server);
  server.close = done => {
    const closed = others.get(server)!.map(socket => new Promise<unknown>(resolve => socket.close(resolve)));
    return close(error => void Promise.all(closed).then(() => done?.(error)));
  };
}
