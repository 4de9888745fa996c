import { OidcError, type OidcErrorCode } from '../errors.ts';
import { type Check, requireShape, that } from '../values/shape.ts';
import { readBody } from './http.ts';

/**
 * A request from a browser or the provider: the platform's own `Request`, a URL (then it was a GET), or the parts that a
 * framework hands over: `url` as it was received (path and query are enough) and `body`, either the raw form text or an object
 * from a form parser. The entries `/fastify`, `/express`, `/hono` and `/next` create one from their framework's request.
 */
export type IncomingRequest =
  | Request
  | URL
  | string
  | {
      method: string;
      url: string;
      contentType?: string | undefined;
      body?: string | URLSearchParams | Record<string, unknown> | undefined;
    };

/** The parameters of a request, each present once. */
export interface IncomingParameters {
  method: string;
  /** The path of the URL, without origin and query. */
  pathname: string;
  parameters: ReadonlyMap<string, string>;
}

/** How one kind of request may arrive. */
export interface IncomingRules {
  /** Names the request in errors. */
  subject: string;
  methods: readonly ('GET' | 'POST')[];
  maxBytes: number;
  /** The code for a request that is not of this kind. */
  malformed: OidcErrorCode;
  /** The code for a duplicate parameter (RFC 6749 §3.1 forbids it). */
  duplicate: OidcErrorCode;
}

const anything = that('a request', value => typeof value === 'object' && value !== null);
const words = that('a string', value => typeof value === 'string');
const absentOrWords = that('a string', value => value === undefined || typeof value === 'string');
const form = that('a string or an object', value => value === undefined || typeof value === 'string' || isForm(value));

// A framework's own request has many more members: unknown ones are allowed here.
const shape: Check = (value, path) => {
  const { method, url, contentType, body } = (value ?? {}) as Record<string, unknown>;
  return (
    anything(value, path) ??
    words(method, `${path}.method`) ??
    words(url, `${path}.url`) ??
    absentOrWords(contentType, `${path}.contentType`) ??
    (method === 'GET' ? undefined : form(body, `${path}.body`))
  );
};

function isForm(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Reads the parameters of a request: from the query of a GET or the form of a POST, never from both. */
export async function readIncoming(request: IncomingRequest, rules: IncomingRules): Promise<IncomingParameters> {
  const { method, url } = requestLine(request, rules);
  if (!rules.methods.includes(method as 'GET' | 'POST')) {
    throw new OidcError(rules.malformed, {
      check: `${rules.subject}.method`,
      expected: rules.methods.join(' or '),
      received: method,
    });
  }
  if (url.length > rules.maxBytes || !URL.canParse(url, 'https://here.invalid')) {
    throw new OidcError(rules.malformed, { check: `${rules.subject}.url`, expected: `a URL of at most ${rules.maxBytes} bytes` });
  }
  const parsed = new URL(url, 'https://here.invalid');
  const pairs = method === 'GET' ? parsed.searchParams : await formPairs(request, rules);
  return { method, pathname: parsed.pathname, parameters: onceEach(pairs, rules) };
}

/**
 * Whether the value is the platform's `Request`. `instanceof` does not work: servers such as Hono's replace the global class, and
 * a copy made by `clone()` still has the old one.
 */
export function isWebRequest(value: unknown): value is Request {
  return Object.prototype.toString.call(value) === '[object Request]';
}

function requestLine(request: IncomingRequest, rules: IncomingRules): { method: string; url: string } {
  if (typeof request === 'string' || request instanceof URL) return { method: 'GET', url: String(request) };
  if (!isWebRequest(request)) requireShape(request, 'request', shape, rules.malformed);
  return { method: request.method, url: request.url };
}

async function formPairs(request: IncomingRequest, rules: IncomingRules): Promise<Iterable<[string, unknown]>> {
  const form = request as Exclude<IncomingRequest, string | URL>;
  const contentType = isWebRequest(form)
    ? form.headers.get('content-type')
    : (form.contentType ?? 'application/x-www-form-urlencoded');
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new OidcError(rules.malformed, {
      check: `${rules.subject}.content_type`,
      expected: 'application/x-www-form-urlencoded',
      received: contentType ?? 'none',
    });
  }
  if (!isWebRequest(form) && typeof form.body === 'object' && !(form.body instanceof URLSearchParams))
    return Object.entries(form.body);
  const text = isWebRequest(form) ? await formText(form, rules) : String(form.body ?? '');
  if (text.length > rules.maxBytes)
    throw new OidcError(rules.malformed, { check: `${rules.subject}.body`, expected: `at most ${rules.maxBytes} bytes` });
  return new URLSearchParams(text);
}

async function formText(request: Request, rules: IncomingRules): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readBody(request, rules.maxBytes, rules.subject));
  } catch (cause) {
    throw new OidcError(rules.malformed, {
      check: `${rules.subject}.body`,
      expected: `a form of at most ${rules.maxBytes} bytes`,
      cause,
    });
  }
}

function onceEach(pairs: Iterable<[string, unknown]>, rules: IncomingRules): ReadonlyMap<string, string> {
  const once = new Map<string, string>();
  for (const [name, value] of pairs) {
    // A form parser turns a repeated parameter into an array.
    if (once.has(name) || typeof value !== 'string')
      throw new OidcError(rules.duplicate, { check: `${rules.subject}.parameters`, received: name });
    once.set(name, value);
  }
  return once;
}
