import { SamlError } from './errors.ts';

/**
 * A request of a browser or of a provider: the platform's own `Request`, an address (then it was a GET), or the parts that
 * a framework hands over. `url` as it was received; path and query suffice. `body` may be the raw text or bytes, or the
 * object that a form parser made of them.
 */
export type IncomingRequest =
  | Request
  | URL
  | string
  | {
      method: string;
      url: string;
      contentType?: string | undefined;
      body?: string | Uint8Array | URLSearchParams | Readonly<Record<string, unknown>> | undefined;
    };

/** The same, read: what the bindings need. */
export interface HttpMessage {
  method: string;
  /** The query exactly as received, without `?`: signatures are over its octets. */
  query: string;
  /** A URL parser has been over the query and may have written `'` as `%27`. */
  reparsed: boolean;
  contentType: string | undefined;
  /** Text, or the fields that a form parser found. */
  body: string | readonly (readonly [string, unknown])[];
}

const queryOf = (url: string): string => {
  const end = url.indexOf('#');
  const whole = end === -1 ? url : url.slice(0, end);
  const start = whole.indexOf('?');
  return start === -1 ? '' : whole.slice(start + 1);
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (cause) {
    throw new SamlError('SAML_XML_BYTES', 'the body is not UTF-8', { cause });
  }
}

/** Reads a body up to a cap, whatever Content-Length says. */
async function readText(request: Request, maxBytes: number): Promise<string> {
  if (request.bodyUsed) throw new SamlError('SAML_CONFIG_INVALID', 'the body was already read: pass what you read');
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the body has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

function bodyOf(body: Exclude<IncomingRequest, Request | URL | string>['body']): HttpMessage['body'] {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return decode(body);
  if (body instanceof URLSearchParams) return [...body];
  if (typeof body === 'object' && !Array.isArray(body)) return Object.entries(body);
  throw new SamlError('SAML_CONFIG_INVALID', 'request.body: expected text, bytes or the fields of a form');
}

/**
 * A platform's `Request`. Not by `instanceof`: servers such as Hono's replace the global class, and a copy made by `clone()` is still
 * of the old one.
 */
export function isWebRequest(value: unknown): value is Request {
  return Object.prototype.toString.call(value) === '[object Request]';
}

function isParts(request: unknown): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { method, url, contentType } = request as Record<string, unknown>;
  return typeof method === 'string' && typeof url === 'string' && (contentType === undefined || typeof contentType === 'string');
}

/** Reads what a framework handed over. A form parser that ran is as good as the raw body: arrays in it are parameters that stand twice. */
export async function readIncoming(request: IncomingRequest, maxBytes: number): Promise<HttpMessage> {
  const nothing = { contentType: undefined, body: '' };
  if (typeof request === 'string') return { ...nothing, method: 'GET', query: queryOf(request), reparsed: false };
  if (request instanceof URL) return { ...nothing, method: 'GET', query: queryOf(request.href), reparsed: true };
  if (isWebRequest(request)) {
    const contentType = request.headers.get('content-type') ?? undefined;
    const body = request.method === 'GET' ? '' : await readText(request, maxBytes);
    return { method: request.method, query: queryOf(request.url), reparsed: true, contentType, body };
  }
  if (!isParts(request))
    throw new SamlError('SAML_CONFIG_INVALID', 'request: expected a Request, an address, or { method, url, contentType, body }');
  const body = bodyOf(request.body);
  const form = typeof body === 'string' ? undefined : 'application/x-www-form-urlencoded';
  return { method: request.method, query: queryOf(request.url), reparsed: false, contentType: request.contentType ?? form, body };
}
