import type { FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route whose answer sets a cookie. */
    setsCookie?: true;
  }
}

function isOwnOrigin(origin: string, request: FastifyRequest, publicUrl: string): boolean {
  const url = URL.parse(origin);
  // The Host counts too, so that an address the operator did not name (127.0.0.1 for localhost) still works from its own pages.
  return url !== null && (url.origin === new URL(publicUrl).origin || url.host === request.headers.host);
}

/**
 * A change that a cookie authorizes must come from our own pages (CSRF). An absent header is not refused: programs send none.
 *
 * Where the browser says `Sec-Fetch-Site`, that decides, and nothing a page can write changes it. Our pages send no referrer, and
 * for those browsers put `Origin: null` on a form's POST even to our own address; on plain http, where they keep `Sec-Fetch-Site`
 * to themselves, that is all there is. There `null` passes: our cookies are `SameSite=Lax`, so a POST of another site, opaque or
 * not, does not carry them.
 * Where the answer sets a cookie (unlock, open once) there need not be one yet: another site must not use up what opens once, or a try at
 * the password, in the name of its visitors.
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
