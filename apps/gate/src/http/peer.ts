import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { headerValues } from './header-values.ts';

const maxKnown = 1000;

/** Addresses and ranges that may speak for others. */
export class AddressList {
  readonly #list = new BlockList();
  /** Earlier answers: behind a proxy, every request comes from the same address. */
  readonly #known = new Map<string, boolean>();

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', prefix] = entry.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(prefix), family);
    }
  }

  has(address: string): boolean {
    let answer = this.#known.get(address);
    if (answer === undefined) {
      answer = this.#look(address);
      if (this.#known.size < maxKnown) this.#known.set(address, answer);
    }
    return answer;
  }

  #look(address: string): boolean {
    const plain = withoutMapping(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }
}

export interface Peer {
  /** The address at the other end of the connection. */
  readonly address: string;
  /** Whether the address is in `trustedProxies`, so that its forwarded headers count. */
  readonly isTrusted: boolean;
  /** The person's own address: the last one in X-Forwarded-For that is not a trusted proxy's. */
  readonly client: string;
}

export function readPeer(request: IncomingMessage, trusted: AddressList): Peer {
  const address = withoutMapping(request.socket.remoteAddress ?? '');
  const isTrusted = trusted.has(address);
  if (!isTrusted || request.headers['x-forwarded-for'] === undefined) return { address, isTrusted, client: address };
  const hops = headerValues(request, 'x-forwarded-for')
    .join(',')
    .split(',')
    .map(hop => withoutPort(hop.trim()));
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) break;
    if (!trusted.has(hop)) return { address, isTrusted, client: withoutMapping(hop) };
  }
  return { address, isTrusted, client: address };
}

/** The source that rate limits count by: an IPv6 /64 network belongs to one customer. */
export function sourceOf(client: string): string {
  if (isIP(client) !== 6) return client;
  return `${groupsOf(client).slice(0, 4).join(':')}::/64`;
}

/** All eight groups of an IPv6 address, which may be written in many ways. */
function groupsOf(address: string): string[] {
  const [unzoned = ''] = address.split('%', 1);
  const written = new URL(`http://[${unzoned}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = written.split('::').map(part => part.split(':').filter(group => group !== ''));
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}

/** Some balancers add the client's port: `203.0.113.7:51234`, `[2001:db8::7]:51234`. */
function withoutPort(hop: string): string {
  const found = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i.exec(hop);
  return found?.[1] ?? found?.[2] ?? hop;
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
