import { OidcError } from '../errors.ts';
import { isLoopback } from '../http/endpoint-url.ts';

/** Which redirect URIs a client may have. */
export interface RedirectRules {
  /** `native`: an installed program, which https addresses do not reach. */
  applicationType: 'web' | 'native';
  /** Allows a web client to use http on a loopback address: development and tests. */
  dangerouslyAllowLoopbackHttp: boolean;
  /** Allows a native client to use the name `localhost`, if its provider registers nothing else. */
  dangerouslyAllowLocalhostRedirect: boolean;
}

/**
 * Reads a redirect URI. Web clients use https; native ones a loopback address or a private-use scheme containing a reversed
 * domain name (RFC 8252 §7). `localhost` needs a flag of its own: a hosts file may point it elsewhere (§8.3).
 *
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`
 */
export function readRedirectUri(value: unknown, rules: RedirectRules, check: string): string {
  const refuse = (expected: string) => new OidcError('OIDC_CONFIG_INVALID', { check, expected, received: value });
  if (typeof value !== 'string' || !URL.canParse(value)) throw refuse('an absolute URL');
  const url = new URL(value);
  if (value.includes('#')) throw refuse('a URL without a fragment');
  if (url.username !== '' || url.password !== '') throw refuse('a URL without a user name');
  if (url.protocol === 'https:') return value;
  if (rules.dangerouslyAllowLoopbackHttp && url.protocol === 'http:' && isLoopback(url.hostname)) return value;
  if (rules.applicationType === 'web') throw refuse('an https URL, because the client is a web application');
  if (rules.dangerouslyAllowLocalhostRedirect && url.protocol === 'http:' && url.hostname === 'localhost') return value;
  if (url.protocol === 'http:' ? isLoopbackLiteral(url.hostname) : isReversedDomain(url.protocol)) return value;
  throw refuse('https, http on 127.0.0.1 or [::1], or a scheme with a reversed domain name');
}

function isLoopbackLiteral(hostname: string): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]';
}

function isReversedDomain(protocol: string): boolean {
  return /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(protocol);
}
