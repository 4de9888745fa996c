/**
 * Reads requests and sends answers with Next.js route handlers, and anything else that uses the platform's `Request` and
 * `Response`.
 * @module @octavo/saml-sp/next
 */
import type { IncomingRequest } from './incoming-request.ts';

export { errorResponse } from './adapter.ts';
export { send } from './hono.ts';

/**
 * Reads a request once, so that it can be examined more than once.
 * @example const identity = await sp.finishSignIn(await readRequest(request), pending);
 */
export async function readRequest(request: Request): Promise<IncomingRequest> {
  const { method, url } = request;
  if (method === 'GET') return new URL(url);
  return { method, url, contentType: request.headers.get('content-type') ?? undefined, body: await request.text() };
}
