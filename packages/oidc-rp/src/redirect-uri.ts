import { isLoopback } from './endpoint-url.ts';
import { OidcError } from './errors.ts';

/**
 * Reads a redirect URI. Web clients use https; native ones a loopback literal or a private-use scheme with a reversed
 * domain name in it (RFC 8252 §7), never `localhost`, which a hosts file may send elsewhere. Those two are for public clients:
 * an installed program keeps no secret.
 *
 * @param confidential whether the client holds a secret or a key
 * @param dangerouslyAllowLoopbackHttp lets a confidential client use http on a loopback address: development and tests
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`
 */
export function readRedirectUri(value: unknown, confidential: boolean, dangerouslyAllowLoopbackHttp = false): string {
  const refuse = (expected: string) => new OidcError('OIDC_CONFIG_INVALID', { check: 'redirect_uri', expected, received: value });
  if (typeof value !== 'string' || !URL.canParse(value)) throw refuse('an absolute URL');
  const url = new URL(value);
  if (value.includes('#')) throw refuse('a URL without a fragment');
  if (url.username !== '' || url.password !== '') throw refuse('a URL without a user name');
  if (url.protocol === 'https:') return value;
  if (dangerouslyAllowLoopbackHttp && url.protocol === 'http:' && isLoopback(url.hostname)) return value;
  if (confidential) throw refuse('an https URL, because the client holds a secret');
  if (url.protocol === 'http:' ? isLoopbackLiteral(url.hostname) : isReversedDomain(url.protocol)) return value;
  throw refuse('https, http on 127.0.0.1 or [::1], or a scheme with a reversed domain name');
}

function isLoopbackLiteral(hostname: string): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]';
}

function isReversedDomain(protocol: string): boolean {
  return /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(protocol);
}
