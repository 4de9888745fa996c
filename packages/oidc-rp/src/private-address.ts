import { OidcError } from './errors.ts';
import { anyText, callable, listOf, requireShape } from './shape.ts';

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
 * Whether the text is an IPv4 or IPv6 address that the public Internet does not route.
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
  return isPrivateV4(parts[0]!, parts[1]!);
}

function isPrivateV4(first: number, second: number): boolean {
  if (first === 0 || first === 10 || first === 127 || first >= 224) return true;
  if (first === 100) return second >= 64 && second <= 127;
  if (first === 169) return second === 254;
  if (first === 172) return second >= 16 && second <= 31;
  return (first === 192 && (second === 168 || second === 0)) || (first === 198 && (second === 18 || second === 19));
}

function isPrivateV6(address: string): boolean {
  // The URL parser writes ::ffff:10.0.0.1 as ::ffff:a00:1; a resolver keeps the dots.
  const mapped = /^::(?:ffff:)?(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/.exec(address);
  if (mapped?.[1] !== undefined) return isPrivateAddress(mapped[1]);
  if (mapped?.[2] !== undefined) {
    const high = Number.parseInt(mapped[2], 16);
    return isPrivateV4(high >> 8, high & 255);
  }
  // Only 2000::/3 is global unicast; 64:ff9b, 2002 and 2001:0 (Teredo) carry an IPv4 address inside.
  return !/^[23]/.test(address) || address.startsWith('2002:') || /^2001:(?:0{0,4}:|0?db8:)/.test(address);
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

function refused(url: URL): OidcError {
  return new OidcError('OIDC_HTTP_URL_REFUSED', { check: 'private_address', expected: 'a public host', received: url.hostname });
}
