/**
 * Reads requests and sends answers with Next.js route handlers, and anything else that uses the platform's `Request` and
 * `Response`.
 * @module @octavo/saml-sp/next
 */
import { frameworkRequest } from './adapter.ts';
import { type IncomingRequest, readText } from './bindings/incoming-request.ts';
import { maxFormBytes } from './bindings/post-binding.ts';
import { readShape } from './values/shape.ts';

export { errorResponse } from './adapter.ts';
export { send } from './hono.ts';

const requestReader = frameworkRequest('Next', ({ method, text }) => typeof method === 'string' && typeof text === 'function');

/**
 * Reads a request once, so that it can be examined more than once.
 * @example const identity = await sp.finishSignIn(await readRequest(request), pending);
 */
export async function readRequest(request: Request): Promise<IncomingRequest> {
  readShape(request, 'request', requestReader);
  const { method, url } = request;
  if (method === 'GET') return new URL(url);
  const body = await readText(request, maxFormBytes);
  return { method, url, contentType: request.headers.get('content-type') ?? undefined, body };
}
