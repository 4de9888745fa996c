/** All values of a cookie, in order: a browser may send several with one name, and only one of ours unseals. */
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

/** The Cookie header without our cookies: the application behind has no use for them, but a thief there would. */
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
 * The name under which a browser will send this cookie back. A cookie without a name (`=a=b`) comes back as `a=b`, so its name is
 * read from its value.
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
  /** The provider that was chosen last; says nothing about the person. */
  readonly provider: string;
  /** The provider at which a sign-out is under way. */
  readonly leaving: string;
  /** Where the sign-ins of this browser lead, sealed. */
  readonly ways: string;
  /** Says that this browser got a session while sign-ins may be under way in it, and nothing more. */
  readonly entered: string;
}

/** `__Host-` needs https: no other host, no path and no plain connection can set such a cookie. */
export function cookieNames(isHttps: boolean): CookieNames {
  const prefix = isHttps ? '__Host-' : '';
  return {
    session: `${prefix}gate`,
    browser: `${prefix}gate-browser`,
    provider: `${prefix}gate-provider`,
    leaving: `${prefix}gate-leaving`,
    ways: `${prefix}gate-ways`,
    entered: `${prefix}gate-entered`,
  };
}

/** Uses `__Host-` where possible: no other host can set the session's cookie. */
export function bridgeCookies(isHttps: boolean): { session: string; interaction: string; resume: string } {
  return {
    session: `${isHttps ? '__Host-' : ''}gate-bridge`,
    interaction: `${isHttps ? '__Secure-' : ''}gate-bridge-interaction`,
    resume: `${isHttps ? '__Secure-' : ''}gate-bridge-resume`,
  };
}

export interface CookieOptions {
  readonly isHttps: boolean;
  /** In seconds; undefined keeps it until the browser closes, 0 deletes it. */
  readonly maxAge?: number;
  /** Sent along when a provider's page posts a form to us. */
  readonly crossSite?: boolean;
}

export function writeCookie(name: string, value: string, { isHttps, maxAge, crossSite = false }: CookieOptions): string {
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly'];
  if (isHttps) parts.push('Secure');
  parts.push(`SameSite=${crossSite && isHttps ? 'None' : 'Lax'}`);
  if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
  return parts.join('; ');
}
