import { OidcError } from '../errors.ts';
import { anyText, callable, listOf, requireShape } from '../values/shape.ts';

/** Resolves a host name to its addresses, for example with `dns.promises.lookup(name, { all: true })` and a `map`. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

const addressTexts = listOf(anyText, 'addresses as strings');
const localNames = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)\.?$/i;

/**
 * Creates a guard for providers that tenants may name themselves: an issuer that points into your own network would turn the
 * relying party into a scanner of it (server-side request forgery). Pass the result as `guardUrl`.
 *
 * A name may resolve differently between this check and the connection; where that matters, also pass a `fetch` that connects to
 * the address that was checked.
 *
 * @example
 * ```ts
 * const resolve = async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address);
 * const relyingParty = new RelyingParty({ ...options, guardUrl: refusePrivateAddresses(resolve) });
 * ```
 * @param resolve looks names up; without it only literal addresses and well-known local names are refused
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: `resolve` is not a function, or did not return strings
 */
export function refusePrivateAddresses(resolve?: ResolveHost): (url: URL) => Promise<void> {
  if (resolve !== undefined) requireShape(resolve, 'resolve', callable);
  return async url => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (localNames.test(host) || isPrivateAddress(host)) throw refused(url);
    if (resolve === undefined || isAddress(host)) return;
    const addresses = await resolve(host);
    // The result of `lookup` without the `map` is not a list of strings.
    requireShape(addresses, 'resolve.answer', addressTexts);
    if (addresses.length === 0 || addresses.some(address => isPrivateAddress(address))) throw refused(url);
  };
}

/**
 * Whether the text is an IPv4 or IPv6 address that is not for the public Internet: one that IANA's special-purpose registries do
 * not call globally reachable, multicast, or one that carries such an IPv4 address inside.
 *
 * @example
 * ```ts
 * isPrivateAddress('10.0.0.1'); // true
 * ```
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: the address is not a string
 */
export function isPrivateAddress(address: string): boolean {
  requireShape(address, 'address', anyText);
  if (address.includes(':')) return isPrivateV6(address.toLowerCase());
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some(part => !Number.isInteger(part) || part < 0 || part > 255)) return false;
  return isPrivateV4(numberOf(parts));
}

const numberOf = (octets: readonly number[]): number => octets.reduce((number, octet) => number * 256 + octet, 0);

/** IANA's IPv4 special-purpose registry, then multicast and all above it. 192.88.99.0/24 leads to 6to4 relays. */
const privateBlocks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
].map(block => {
  const [network = '', bits] = block.split('/');
  const first = numberOf(network.split('.').map(Number));
  return { first, last: first + 2 ** (32 - Number(bits)) - 1 };
});

function isPrivateV4(address: number): boolean {
  return privateBlocks.some(({ first, last }) => address >= first && address <= last);
}

function isPrivateV6(address: string): boolean {
  // The URL parser writes ::ffff:10.0.0.1 as ::ffff:a00:1; a resolver keeps the dots.
  const mapped = /^::(?:ffff:)?(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/.exec(address);
  if (mapped?.[1] !== undefined) return isPrivateAddress(mapped[1]);
  if (mapped?.[2] !== undefined) {
    return isPrivateV4(Number.parseInt(mapped[2], 16) * 65_536 + Number.parseInt(mapped[3]!, 16));
  }
  const [first, second] = address.split(':', 2).map(group => Number.parseInt(group || '0', 16)) as [number, number];
  // Only 2000::/3 is global unicast. Of it, 2001::/23 is for protocols (Teredo carries an IPv4 address inside, as does 2002::/16),
  // 2001:db8::/32 and 3fff::/20 for documentation.
  if (!(first >= 0x2000 && first <= 0x3fff)) return true;
  if (first === 0x2001) return second <= 0x1ff || second === 0xdb8;
  return first === 0x2002 || (first === 0x3fff && second <= 0xfff);
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

function refused(url: URL): OidcError {
  return new OidcError('OIDC_HTTP_URL_REFUSED', { check: 'private_address', expected: 'a public host', received: url.hostname });
}
