import { OidcError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';

/** The parts of a request of Node's HTTP server that are read here; frameworks add to it. */
export interface NodeRequest extends AsyncIterable<unknown> {
  method?: string | undefined;
  headers: { cookie?: string | undefined; 'content-type'?: string | undefined };
  readableEnded?: boolean;
}

/** The largest body that an adapter reads. */
export const maxBodyBytes = 65_536;

/**
 * Converts a request of Node's, whether a body parser has read it or not.
 *
 * @param url as the client sent it, from the root: a mounted router sees less
 * @param parsed what a body parser produced, if one ran
 */
export async function readNodeRequest(request: NodeRequest, url: string, parsed: unknown): Promise<IncomingRequest> {
  const { method = 'GET', headers } = request;
  if (method === 'GET' || method === 'HEAD') return { method, url };
  const contentType = headers['content-type'];
  // Some parsers leave an empty object when they did not read the body.
  const unread = parsed === undefined || parsed === null || (isEmpty(parsed) && request.readableEnded === false);
  return { method, url, contentType, body: unread ? await readText(request) : asForm(parsed) };
}

function asForm(parsed: unknown): string | Record<string, unknown> {
  if (parsed instanceof Uint8Array) return new TextDecoder().decode(parsed);
  return parsed as string | Record<string, unknown>;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

async function readText(request: NodeRequest): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of request) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > maxBodyBytes)
      throw new OidcError('OIDC_HTTP_TOO_LARGE', { check: 'request.body', expected: `at most ${maxBodyBytes} bytes` });
  }
  return text + decoder.decode();
}

/** The headers of a response in the form Node's server takes: repeated headers become an array. */
export function nodeHeaders(response: Response): Record<string, string | string[]> {
  const cookies = response.headers.getSetCookie();
  return { ...Object.fromEntries(response.headers), ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }) };
}
