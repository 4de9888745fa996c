/** Values of a cookie by name, in order: several may come, and only one may open. */
export function readCookies(header: string | undefined, name: string): string[] {
  const found: string[] = [];
  if (header === undefined) return found;
  for (let at = 0; at < header.length; ) {
    const end = endOfPair(header, at);
    const pair = header.slice(at, end);
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) found.push(pair.slice(equals + 1).trim());
    at = end + 1;
  }
  return found;
}

/** The Cookie header without ours: the application behind has no use for them, and a thief there would have. */
export function withoutCookies(header: string, isOurs: (name: string) => boolean): string {
  const rest: string[] = [];
  for (let at = 0; at <= header.length; ) {
    const end = endOfPair(header, at);
    const pair = header.slice(at, end).trim();
    const equals = pair.indexOf('=');
    if (!isOurs((equals === -1 ? pair : pair.slice(0, equals)).trim())) rest.push(pair);
    at = end + 1;
  }
  return rest.join('; ');
}

/**
 * The name under which a browser will send this cookie back. One without a name (`=a=b`) comes back as `a=b`, so its value counts as what it looks like.
 */
export function nameOfSetCookie(value: string): string {
  const pair = value.slice(0, endOfPair(value, 0));
  const start = pair.search(/[^\s=]/);
  const equals = pair.indexOf('=', start);
  return start === -1 ? '' : pair.slice(start, equals === -1 ? undefined : equals).trim();
}

function endOfPair(header: string, at: number): number {
  const end = header.indexOf(';', at);
  return end === -1 ? header.length : end;
}

export interface CookieNames {
  readonly session: string;
  /** Ties a sign-in under way to this browser. */
  readonly browser: string;
  /** Which provider was chosen last; says nothing about anybody. */
  readonly provider: string;
  /** The provider at which a sign-out is under way. */
  readonly leaving: string;
}

/** `__Host-` needs https: no other host, no path and no plain connection can set such a cookie. */
export function cookieNames(isHttps: boolean): CookieNames {
  const prefix = isHttps ? '__Host-' : '';
  return {
    session: `${prefix}gate`,
    browser: `${prefix}gate-browser`,
    provider: `${prefix}gate-provider`,
    leaving: `${prefix}gate-leaving`,
  };
}

/** `__Host-` where it can be: no other host can set the cookie of a session. */
export function bridgeCookies(isHttps: boolean): { session: string; interaction: string; resume: string } {
  return {
    session: `${isHttps ? '__Host-' : ''}gate-bridge`,
    interaction: `${isHttps ? '__Secure-' : ''}gate-bridge-interaction`,
    resume: `${isHttps ? '__Secure-' : ''}gate-bridge-resume`,
  };
}

export interface CookieOptions {
  readonly isHttps: boolean;
  /** Seconds; undefined: until the browser closes. 0 removes it. */
  readonly maxAge?: number;
  /** A form that a provider's page posts to us must carry the browser's cookie. */
  readonly crossSite?: boolean;
}

export function writeCookie(name: string, value: string, { isHttps, maxAge, crossSite = false }: CookieOptions): string {
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly'];
  if (isHttps) parts.push('Secure');
  parts.push(`SameSite=${crossSite && isHttps ? 'None' : 'Lax'}`);
  if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
  return parts.join('; ');
}
