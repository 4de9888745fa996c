import { SamlError } from '../errors.ts';

/**
 * A request from a browser or a provider: the platform's own `Request`, a URL (then it was a GET), or the parts that a framework
 * hands over: `url` as it was received (path and query are enough) and `body`, either the raw text or bytes, or the object from a
 * form parser.
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

/** The parsed request: what the bindings need. */
export interface HttpMessage {
  method: string;
  /** The query exactly as received, without `?`: signatures cover its bytes. */
  query: string;
  /** Whether a URL parser has rewritten the query: it may have turned `'` into `%27`. */
  reparsed: boolean;
  contentType: string | undefined;
  /** Text, or the fields from a form parser. */
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

/** Reads a body up to a size limit, whatever Content-Length says. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  if (request.bodyUsed) throw new SamlError('SAML_CONFIG_INVALID', 'the body was already read: pass what you read');
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      // Not awaited: the cancellation of a cloned body waits for that of the other copy.
      void reader?.cancel().catch(() => undefined);
      throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the body has more than ${maxBytes} bytes`);
    }
    chunks.push(part.value);
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
 * Whether the value is the platform's `Request`. `instanceof` does not work: servers such as Hono's replace the global class, and
 * a copy made by `clone()` still has the old one.
 */
export function isWebRequest(value: unknown): value is Request {
  return Object.prototype.toString.call(value) === '[object Request]';
}

function isParts(request: unknown): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { method, url, contentType } = request as Record<string, unknown>;
  return typeof method === 'string' && typeof url === 'string' && (contentType === undefined || typeof contentType === 'string');
}

/** Reads what a framework handed over. Parsed forms are as good as the raw body: arrays in them are duplicate parameters. */
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
