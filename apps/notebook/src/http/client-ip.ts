import { isIP, isIPv4 } from 'node:net';

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // URL writes the one canonical form: lower case, compressed, a mapped IPv4 address as two groups.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : new Array(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].map(group => Number.parseInt(group, 16));
}

/**
 * Whom the per-IP limits count: an IPv4 address, or the /64 of an IPv6 address, because one household holds a whole /64.
 * @param address what the socket, or a trusted proxy, says; a zone index is dropped, and the port that some proxies add. A socket that is closed already says nothing
 */
export function clientKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const bare = /^[^%]*/.exec(address)![0].replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  if (isIPv4(bare)) return bare;
  if (isIP(bare) !== 6) return 'unknown';
  const groups = groupsOf(bare);
  const isMappedIPv4 = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff;
  if (isMappedIPv4) {
    const [high, low] = groups.slice(6) as [number, number];
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  return `${groups
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':')}::/64`;
}
