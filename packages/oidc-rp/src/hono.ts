import { frameworkRequest } from './frameworks/framework-shapes.ts';
import { maxBodyBytes } from './frameworks/node-request.ts';
import { readBody } from './http/http.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { requireShape } from './values/shape.ts';

/** The parts of Hono's context that are read here. */
export interface HonoContext {
  req: {
    method: string;
    url: string;
    raw: Request;
    header(name: string): string | undefined;
    text(): Promise<string>;
    /** Left by an earlier read of the body. */
    bodyCache: { formData?: unknown };
  };
}

const shape = frameworkRequest('Hono', ({ req }) => typeof (req as HonoContext['req'] | null | undefined)?.header === 'function');

/**
 * Reads a request of Hono, also after a middleware has read its body. To send a `Response`, return it: Hono sends it as it is.
 *
 * @example
 * ```ts
 * app.all('/callback', async context => signIn.finish(await readRequest(context), context.req.header('cookie')));
 * ```
 */
export async function readRequest(context: HonoContext): Promise<IncomingRequest> {
  requireShape(context, 'request', shape);
  const { req } = context;
  const { method, url } = req;
  if (method !== 'POST') return { method, url };
  const contentType = req.header('content-type');
  // Hono cannot turn a form that was parsed before back into text.
  const parsed = await req.bodyCache.formData;
  const pairs =
    parsed instanceof FormData ? [...parsed].map(([name, value]): [string, string] => [name, String(value)]) : undefined;
  return { method, url, contentType, body: pairs === undefined ? await textOf(req) : new URLSearchParams(pairs) };
}

async function textOf(req: HonoContext['req']): Promise<string> {
  if (req.raw.bodyUsed) return req.text();
  // Hono would read a body of any size. A copy is read, so that others can still read the body.
  return new TextDecoder().decode(await readBody(req.raw.clone(), maxBodyBytes, 'request.body'));
}
