/**
 * Reads requests and sends answers with Express.
 * @module @octavo/saml-sp/express
 */
import {
  asResponse,
  frameworkRequest,
  hasHeaders,
  headerOf,
  headersOf,
  type NodeRequest,
  readStream,
  withMethod,
} from './adapter.ts';
import type { OutgoingMessage } from './bindings/http-message.ts';
import type { IncomingRequest } from './bindings/incoming-request.ts';
import { readShape } from './values/shape.ts';

export { errorResponse } from './adapter.ts';

/** The parts of Express's request that are used; Node's own has them too. */
export interface ExpressRequestLike extends NodeRequest {
  /** The URL as received: `url` lacks the path of a mounted router. */
  originalUrl?: string;
  body?: unknown;
}

/** The parts of Express's response that are used; Node's own has them too. */
export interface ExpressResponseLike {
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  end(body: Uint8Array): unknown;
}

const requestReader = frameworkRequest('Express', hasHeaders);
const responseReader = withMethod('a response of Express', 'writeHead');

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * Reads a request, whether a body parser ran before or not (`express.urlencoded()`, `express.text()`, none).
 * @example const identity = await sp.finishSignIn(await readRequest(request), pending);
 */
export async function readRequest(request: ExpressRequestLike): Promise<IncomingRequest> {
  readShape(request, 'request', requestReader);
  const contentType = headerOf(request.headers, 'content-type');
  const parsed = request.body as string | Uint8Array | Record<string, unknown> | undefined | null;
  // Express 4's parsers leave an empty object where they did not read the body.
  const unread = parsed == null || (isEmpty(parsed) && request.readableEnded === false);
  const body = !unread ? parsed : request.readableEnded === true ? undefined : await readStream(request);
  return {
    method: request.method ?? 'GET',
    url: request.originalUrl ?? request.url ?? '',
    contentType,
    ...(body == null ? {} : { body }),
  };
}

/**
 * @example await send(response, started.send, cookies.keep(started.pending, request.headers.cookie));
 */
export async function send(
  response: ExpressResponseLike,
  answer: Response | OutgoingMessage,
  setCookies: readonly string[] = [],
): Promise<void> {
  readShape(response, 'response', responseReader);
  const made = asResponse(answer);
  const cookies = [...made.headers.getSetCookie(), ...setCookies];
  const headers = headersOf(made);
  response.writeHead(made.status, cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies });
  response.end(new Uint8Array(await made.arrayBuffer()));
}
