import { frameworkRequest, isNodeRequest, requireSendable } from './frameworks/framework-shapes.ts';
import { type NodeRequest, nodeHeaders, readNodeRequest } from './frameworks/node-request.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { requireShape, that } from './values/shape.ts';

/** The parts of Fastify's request that are read here. */
export interface FastifyRequest {
  originalUrl: string;
  body?: unknown;
  raw: NodeRequest;
}

/** The parts of Fastify's reply that are used here. */
export interface FastifyReply {
  code(status: number): unknown;
  headers(values: Record<string, string | string[]>): unknown;
  send(body: string): unknown;
}

/** The parts of Fastify's instance that are needed to add a form parser. */
export interface FastifyParsers {
  hasContentTypeParser(contentType: string): boolean;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'string' },
    parser: (request: unknown, body: string, done: (error: null, body: string) => void) => void,
  ): unknown;
}

const form = 'application/x-www-form-urlencoded';
const shape = frameworkRequest('Fastify', ({ originalUrl, raw }) => typeof originalUrl === 'string' && isNodeRequest(raw));
const instance = that(
  'an instance of Fastify',
  value => typeof (value as Partial<FastifyParsers> | null | undefined)?.hasContentTypeParser === 'function',
);

/**
 * Lets Fastify accept forms, which it refuses with 415 unless a plugin parses them. Has no effect if `@fastify/formbody` is
 * already registered.
 *
 * @example
 * ```ts
 * const app = Fastify();
 * acceptForms(app);
 * ```
 */
export function acceptForms(app: FastifyParsers): void {
  requireShape(app, 'app', instance);
  if (!app.hasContentTypeParser(form))
    app.addContentTypeParser(form, { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/**
 * Reads a request of Fastify.
 *
 * @example
 * ```ts
 * app.all('/callback', async (request, reply) =>
 *   sendResponse(reply, await signIn.finish(await readRequest(request), request.headers.cookie)));
 * ```
 */
export async function readRequest(request: FastifyRequest): Promise<IncomingRequest> {
  requireShape(request, 'request', shape);
  return readNodeRequest(request.raw, request.originalUrl, request.body);
}

/**
 * Sends a `Response` through Fastify.
 *
 * @example
 * ```ts
 * return sendResponse(reply, await signIn.start(request.headers.cookie));
 * ```
 */
export async function sendResponse(reply: FastifyReply, answer: Response): Promise<void> {
  requireSendable(reply, 'send', answer);
  reply.code(answer.status);
  reply.headers(nodeHeaders(answer));
  await reply.send(await answer.text());
}
