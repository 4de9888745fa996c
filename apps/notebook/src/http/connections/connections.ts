import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { BlockList, isIP } from 'node:net';
import { clientKey } from '../addresses/client-ip.ts';

/** Private networks: a proxy that TRUST_PROXY does not name is usually in one of them, and carries everybody's connections. */
const ownNetworks = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const)
  ownNetworks.addSubnet(network, prefix, 'ipv4');
ownNetworks.addSubnet('fc00::', 7, 'ipv6');
ownNetworks.addSubnet('fe80::', 10, 'ipv6');
ownNetworks.addAddress('127.0.0.1', 'ipv4');
ownNetworks.addAddress('::1', 'ipv6');

const plainAddress = (address: string) => address.replace(/^::ffff:(?=\d+\.)/, '');

/** A connection that is already closed has no address and is not in any list. */
function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version === 0 || list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const refusal = Buffer.from(
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\nCache-Control: no-store\r\n\r\n',
);

export interface ConnectionLimits {
  readonly maxPerClient: number;
  /** Addresses and CIDR ranges of proxies, whose connections carry many clients. */
  readonly trustProxy: readonly string[];
}

/**
 * Limits one client's concurrent connections (IPv6: one /64). One connection more is answered 503 and closed before anything of it is read.
 * A proxy must count the clients behind it itself.
 */
export function limitConnections(server: Server, { maxPerClient, trustProxy }: ConnectionLimits): void {
  const trusted = listOf(trustProxy);
  const open = new Map<string, number>();

  /** Returns false when there are too many. */
  function count(socket: Socket): boolean {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isIn(ownNetworks, address) || isIn(trusted, address)) return true;
    const client = clientKey(address);
    const held = open.get(client) ?? 0;
    if (held >= maxPerClient) return false;
    open.set(client, held + 1);
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
    return true;
  }

  // Runs before the listeners that read requests, so that a refused connection is not read.
  const readers = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (count(socket)) for (const reader of readers) reader.call(server, socket);
    else refuse(socket);
  });
}

/** Time for the answer to arrive: closing with unread bytes resets the connection. */
const lingerMillis = 1_000;

function refuse(socket: Socket): void {
  socket.on('error', () => {});
  socket.resume();
  socket.end(refusal);
  setTimeout(() => socket.destroy(), lingerMillis).unref();
}
