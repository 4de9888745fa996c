/**
 * Reads requests and sends answers with Fastify.
 * @module @octavo/saml-sp/fastify
 */
import { asResponse, frameworkRequest, hasHeaders, headerOf, headersOf, type NodeRequest, withMethod } from './adapter.ts';
import type { OutgoingMessage } from './bindings/http-message.ts';
import type { IncomingRequest } from './bindings/incoming-request.ts';
import { readShape } from './values/shape.ts';

export { errorResponse } from './adapter.ts';

/** The parts of Fastify's request that are used. */
export interface FastifyRequestLike {
  method: string;
  originalUrl: string;
  headers: NodeRequest['headers'];
  body?: unknown;
}

/** The parts of Fastify's reply that are used. */
export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  headers(values: Record<string, string | string[]>): FastifyReplyLike;
  send(body: Buffer): unknown;
}

/** The parts of Fastify's instance that are needed to accept forms as text, which the package parses itself. */
export interface FastifyLike {
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string[],
    options: { parseAs: 'string'; bodyLimit: number },
    parser: (request: unknown, body: string, done: (error: null, body: string) => void) => void,
  ): unknown;
}

const instanceReader = withMethod('an instance of Fastify', 'hasContentTypeParser');
const requestReader = frameworkRequest('Fastify', request => hasHeaders(request) && typeof request.originalUrl === 'string');
const replyReader = withMethod('a reply of Fastify', 'code');

/**
 * Registers parsers for the content types that identity providers post, unless one exists, as with @fastify/formbody.
 * @example acceptSaml(app);
 */
export function acceptSaml(app: FastifyLike): void {
  readShape(app, 'app', instanceReader);
  const types = ['application/x-www-form-urlencoded', 'application/vnd.paos+xml', 'text/xml'];
  const free = types.filter(type => !app.hasContentTypeParser(type));
  if (free.length > 0)
    app.addContentTypeParser(free, { parseAs: 'string', bodyLimit: 600_000 }, (_, body, done) => done(null, body));
}

/**
 * @example const identity = await sp.finishSignIn(readRequest(request), pending);
 */
export function readRequest(request: FastifyRequestLike): IncomingRequest {
  readShape(request, 'request', requestReader);
  const contentType = headerOf(request.headers, 'content-type');
  const body = request.body as string | Uint8Array | Record<string, unknown> | undefined | null;
  return { method: request.method, url: request.originalUrl, contentType, ...(body == null ? {} : { body }) };
}

/**
 * @example return send(reply, started.send, cookies.keep(started.pending, request.headers.cookie));
 */
export async function send(
  reply: FastifyReplyLike,
  answer: Response | OutgoingMessage,
  setCookies: readonly string[] = [],
): Promise<void> {
  readShape(reply, 'reply', replyReader);
  const response = asResponse(answer);
  const headers = headersOf(response);
  const cookies = [...response.headers.getSetCookie(), ...setCookies];
  reply.code(response.status).headers(cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies });
  await reply.send(Buffer.from(await response.arrayBuffer()));
}
