import { frameworkRequest, isNodeRequest, requireSendable } from './frameworks/framework-shapes.ts';
import { type NodeRequest, nodeHeaders, readNodeRequest } from './frameworks/node-request.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { requireShape } from './values/shape.ts';

/** The parts of Express's request that are read here. */
export interface ExpressRequest extends NodeRequest {
  /** The URL as received: a mounted router's `url` lacks the mount path. */
  originalUrl: string;
  body?: unknown;
}

/** The parts of Express's response that are used here. */
export interface ExpressResponse {
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  end(body: string): unknown;
}

const shape = frameworkRequest('Express', request => typeof request.originalUrl === 'string' && isNodeRequest(request));

/**
 * Reads a request of Express, in a mounted router or not, with or without a body parser.
 *
 * @example
 * ```ts
 * app.all('/callback', async (request, response) =>
 *   sendResponse(response, await signIn.finish(await readRequest(request), request.headers.cookie)));
 * ```
 */
export async function readRequest(request: ExpressRequest): Promise<IncomingRequest> {
  requireShape(request, 'request', shape);
  return readNodeRequest(request, request.originalUrl, request.body);
}

/**
 * Sends a `Response` through Express, which would otherwise send it as `{}`.
 *
 * @example
 * ```ts
 * sendResponse(response, await relyingParty.answerBackChannelLogout(await readRequest(request), endSessions));
 * ```
 */
export async function sendResponse(response: ExpressResponse, answer: Response): Promise<void> {
  requireSendable(response, 'writeHead', answer);
  response.writeHead(answer.status, nodeHeaders(answer));
  response.end(await answer.text());
}
