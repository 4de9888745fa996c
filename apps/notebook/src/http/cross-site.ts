import type { FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';

function isOwnOrigin(origin: string, request: FastifyRequest, publicUrl: string): boolean {
  const url = URL.parse(origin);
  // The Host counts too, so that an address the operator did not name (127.0.0.1 for localhost) still works from its own pages.
  return url !== null && (url.origin === new URL(publicUrl).origin || url.host === request.headers.host);
}

/**
 * A change that a cookie authorizes must come from our own pages (CSRF). An absent header is not refused: programs send none.
 * @throws Refusal `forbidden`
 */
export function requireSameSite(request: FastifyRequest, publicUrl: string): void {
  if (request.headers.cookie === undefined) return;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Refusal('forbidden');
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(origin, request, publicUrl)) throw new Refusal('forbidden');
}
