import { isIP } from 'node:net';

/** An address in one spelling: without brackets and zone, IPv4-mapped addresses as IPv4, IPv6 compressed and in lower case. */
function plainAddress(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .split('%', 1)[0]!;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return isIP(mapped) === 4 ? mapped : undefined;
  if (isIP(bare) === 4) return bare;
  if (isIP(bare) !== 6) return undefined;
  const compressed = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(compressed);
  if (hex === null) return compressed;
  const number = (Number.parseInt(hex[1] ?? '', 16) << 16) | Number.parseInt(hex[2] ?? '', 16);
  return [24, 16, 8, 0].map(shift => (number >>> shift) & 255).join('.');
}

/** Whether two spellings mean the same network address. Text that is not an address equals nothing. */
export function isSameAddress(left: string, right: string): boolean {
  const plain = plainAddress(left);
  return plain !== undefined && plain === plainAddress(right);
}
