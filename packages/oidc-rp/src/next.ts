import { frameworkRequest, isNodeRequest, requireSendable } from './frameworks/framework-shapes.ts';
import { type NodeRequest, nodeHeaders, readNodeRequest } from './frameworks/node-request.ts';
import { type IncomingRequest, isWebRequest } from './http/incoming-request.ts';
import { requireShape } from './values/shape.ts';

/** The parts of a request of Next's `pages/api` that are read here. */
export interface NextApiRequest extends NodeRequest {
  url?: string | undefined;
  body?: unknown;
}

/** The parts of a response of Next's `pages/api` that are used here. */
export interface NextApiResponse {
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  end(body: string): unknown;
}

const shape = frameworkRequest('Next', isNodeRequest);

/**
 * Reads a request of Next: a route handler's `Request` (`app/…/route.ts`) or one of `pages/api`.
 *
 * @example
 * ```ts
 * export const GET = async (request: Request) => signIn.finish(await readRequest(request), request.headers.get('cookie'));
 * ```
 */
export async function readRequest(request: Request | NextApiRequest): Promise<IncomingRequest> {
  if (isWebRequest(request)) return request;
  requireShape(request, 'request', shape);
  return readNodeRequest(request, request.url ?? '/', request.body);
}

/**
 * Sends a `Response` from `pages/api`; a route handler just returns it.
 *
 * @example
 * ```ts
 * export default async (request: NextApiRequest, response: NextApiResponse) =>
 *   sendResponse(response, await signIn.finish(await readRequest(request), request.headers.cookie));
 * ```
 */
export async function sendResponse(response: NextApiResponse, answer: Response): Promise<void> {
  requireSendable(response, 'writeHead', answer);
  response.writeHead(answer.status, nodeHeaders(answer));
  response.end(await answer.text());
}
