import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key of the per-IP limits: an IPv4 address, or the /64 of an IPv6 address, because one household holds a whole /64.
 * @param address from the socket or a trusted proxy; a zone index is dropped, and the port that some proxies add. A closed socket has none
 */
export function clientKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const bare = /^[^%]*/.exec(address)![0].replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  // ipaddr.js also accepts the short and octal forms of old C libraries, which no socket and no proxy writes.
  if (isIP(bare) === 0) return 'unknown';
  const ip = ipaddr.process(bare);
  if (ip instanceof ipaddr.IPv4) return ip.toString();
  return `${ip.parts
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':')}::/64`;
}

/** The network that a client's key belongs to: a client that rents one address often has its neighbors, and with IPv6 a whole /48. */
export function networkOf(client: string): string {
  const [, ipv4, ipv6] = /^(?:(\d+\.\d+\.\d+)\.\d+|([\da-f]+:[\da-f]+:[\da-f]+):[\da-f]+::\/64)$/.exec(client) ?? [];
  return ipv4 ?? ipv6 ?? client;
}

/** The networks that a client's key belongs to, the widest first: what one provider may have (an IPv4 /16, an IPv6 /32), and `networkOf`. */
export function networksOf(client: string): [string, string] {
  const network = networkOf(client);
  const [, wide = network] = /^(\d+\.\d+|[\da-f]+:[\da-f]+)[.:][\da-f]+$/.exec(network) ?? [];
  return [wide, network];
}
