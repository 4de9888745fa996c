import { type OutgoingMessage, toResponse } from './bindings/http-message.ts';
import { maxFormBytes } from './bindings/post-binding.ts';
import { SamlError } from './errors.ts';
import { misfit, type Reader, readShape } from './values/shape.ts';

/** The parts of Node's own request that all of its frameworks have. */
export interface NodeRequest extends AsyncIterable<unknown> {
  method?: string | undefined;
  url?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  readableEnded?: boolean;
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** A request as a framework hands it over, recognized by the members that are read. */
export const frameworkRequest =
  (framework: string, holds: (request: Members) => boolean): Reader<unknown> =>
  (value, path) =>
    isObject(value) && holds(value) ? value : misfit(path, `a request of ${framework}`, value);

/** An object of a framework that must have this method; without it, it is refused by name. */
export const withMethod =
  (expected: string, method: string): Reader<unknown> =>
  (value, path) =>
    isObject(value) && typeof value[method] === 'function' ? value : misfit(path, expected, value);

/** Headers as Node has them. */
export const hasHeaders = ({ headers }: Members): boolean => isObject(headers);

// Not by `instanceof`: servers such as Hono's replace the global class. A promise left by a forgotten `await` does not match.
const sendable: Reader<unknown> = (value, path) =>
  isObject(value) && ('kind' in value || (typeof value.status === 'number' && isObject(value.headers)))
    ? value
    : misfit(path, 'a Response or a message to send', value);

/** The first value of a header. */
export const headerOf = (headers: NodeRequest['headers'], name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
};

/** Reads the body of a request that no parser has read, up to the size limit of a form. */
export async function readStream(request: NodeRequest): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > maxFormBytes) throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the body has more than ${maxFormBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Converts what is to be sent, a message of ours or a `Response` by the caller, to a web `Response`. */
export function asResponse(answer: Response | OutgoingMessage): Response {
  readShape(answer, 'answer', sendable);
  return 'kind' in answer ? toResponse(answer) : answer;
}

/** The headers of a `Response`; those that may repeat are arrays. */
export function headersOf(response: Response): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers);
  const cookies = response.headers.getSetCookie();
  return cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies };
}

/**
 * The answer to an error: its code and its status, 503 for an outage. Anything other than a `SamlError` is rethrown.
 * @example app.onError(error => errorResponse(error));
 */
export function errorResponse(error: unknown): Response {
  if (!(error instanceof SamlError)) throw error;
  const headers = { 'cache-control': 'no-store', ...(error.status === 503 ? { 'retry-after': '5' } : {}) };
  return Response.json({ error: error.code }, { status: error.status, headers });
}
