/**
 * Reads requests and sends answers with Hono.
 * @module @octavo/saml-sp/hono
 */
import { asResponse, frameworkRequest } from './adapter.ts';
import type { OutgoingMessage } from './bindings/http-message.ts';
import { type IncomingRequest, readText } from './bindings/incoming-request.ts';
import { maxFormBytes } from './bindings/post-binding.ts';
import { readShape } from './values/shape.ts';

export { errorResponse } from './adapter.ts';

/** The parts of Hono's context that are used. */
export interface HonoContextLike {
  req: {
    raw: Request;
    method: string;
    url: string;
    header(name: string): string | undefined;
    text(): Promise<string>;
    parseBody(options: { all: true }): Promise<Record<string, unknown>>;
  };
}

const requestReader = frameworkRequest(
  'Hono',
  ({ req }) => typeof (req as HonoContextLike['req'] | null | undefined)?.header === 'function',
);

/**
 * Reads a request, whether a middleware has read its body or not.
 * @example const identity = await sp.finishSignIn(await readRequest(c), pending);
 */
export async function readRequest(context: HonoContextLike): Promise<IncomingRequest> {
  readShape(context, 'request', requestReader);
  const { req } = context;
  const contentType = req.header('content-type');
  const { method, url } = req;
  if (method === 'GET') return new URL(url);
  const form = contentType?.startsWith('application/x-www-form-urlencoded') === true;
  // Hono would read a body of any size. A copy is read, so that others can still read the body.
  if (!req.raw.bodyUsed) return { method, url, contentType, body: await readText(req.raw.clone(), maxFormBytes) };
  // Hono keeps a body in the form it was read in: a form that a middleware parsed stays a form.
  const body = form ? await req.parseBody({ all: true }) : await req.text();
  return { method, url, contentType, body };
}

/**
 * @example return send(started.send, cookies.keep(started.pending, c.req.header('cookie')));
 */
export function send(answer: Response | OutgoingMessage, setCookies: readonly string[] = []): Response {
  const made = asResponse(answer);
  const response = new Response(made.body, made);
  for (const cookie of setCookies) response.headers.append('set-cookie', cookie);
  return response;
}
