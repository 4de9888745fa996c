import { OidcError, type OidcErrorCode } from '../errors.ts';

/** Which addresses may be called. */
export interface UrlRules {
  /** Accept plain http for a provider on this same machine: development and tests. */
  dangerouslyAllowLoopbackHttp: boolean;
}

/**
 * Reads an absolute URL given by a provider, an operator or a tenant: https, no user name, no fragment.
 *
 * @throws {@link OidcError} with the given code when it is anything else
 */
export function readEndpointUrl(
  value: unknown,
  check: string,
  rules: UrlRules,
  code: OidcErrorCode = 'OIDC_HTTP_URL_REFUSED',
): URL {
  const refuse = (expected: string) => new OidcError(code, { check, expected, received: value });
  if (typeof value !== 'string' || !URL.canParse(value)) throw refuse('an absolute https URL');
  const url = new URL(value);
  if (
    url.protocol !== 'https:' &&
    !(rules.dangerouslyAllowLoopbackHttp && url.protocol === 'http:' && isLoopback(url.hostname))
  ) {
    throw refuse('an https URL');
  }
  if (url.username !== '' || url.password !== '') throw refuse('a URL without a user name');
  if (value.includes('#')) throw refuse('a URL without a fragment');
  return url;
}

/** Whether the host of a URL is a loopback literal or the name `localhost`. */
export function isLoopback(hostname: string): boolean {
  return hostname === '[::1]' || hostname === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
