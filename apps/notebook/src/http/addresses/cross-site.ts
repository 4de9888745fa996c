import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route whose answer sets a cookie. */
    setsCookie?: true;
  }
}

function isOwnOrigin(origin: string, request: FastifyRequest, publicUrl: string): boolean {
  const url = URL.parse(origin);
  // The Host also counts, so that an address the operator did not name (127.0.0.1 for localhost) still works from its own pages.
  return url !== null && (url.origin === new URL(publicUrl).origin || url.host === request.headers.host);
}

/**
 * A change that a cookie authorizes must come from our own pages (CSRF). An absent header is not refused: programs send none.
 *
 * Where the browser sends `Sec-Fetch-Site`, that decides, and nothing on a page can change it. Our pages send no referrer, so such browsers
 * send `Origin: null` with a form's POST even to our own address. On plain http they do not send `Sec-Fetch-Site`, so that `null` is all
 * there is. It passes: our cookies are `SameSite=Lax`, so a POST from another site, opaque or not, does not carry them.
 * When the answer sets a cookie (unlock, open once), the check applies even without a cookie in the request: another site must not use up a
 * one-time opening or a password attempt in its visitor's name.
 * @throws Refusal `forbidden`
 */
export function requireSameSite(request: FastifyRequest, publicUrl: string, setsCookie = false): void {
  if (request.headers.cookie === undefined && !setsCookie) return;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = request.headers;
  const foreignOrigin = origin !== undefined && origin !== 'null' && !isOwnOrigin(origin, request, publicUrl);
  if (site !== undefined || foreignOrigin) throw new Refusal('forbidden');
}
