import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify';
import { catalog, type ErrorCode, type FieldError, Refusal } from '../errors.ts';
import { treatedAs } from './addresses/api-address.ts';
import { formPage, meantAddress, meantSlug } from './addresses/meant-address.ts';
import { sendRefusalLine, wantsLines } from './answers/answer-lines.ts';
import { challengeOf, sendProblem } from './answers/problem.ts';
import type { BodyTooLarge } from './bodies/assemble-body.ts';
import { isForm } from './bodies/bodies.ts';
import { EncodedBody } from './bodies/content-coding.ts';
import { drainBody } from './bodies/drain-body.ts';
import { redactedPath } from './request-log.ts';

/** `/pages/2/markdown` becomes `pages[2].markdown`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');
}

/** A name that we don't know may be as long as the body, and would be answered twice. */
const maxNameChars = 200;

function shownName(name: unknown): string {
  const text = String(name);
  return text.length > maxNameChars ? `${text.slice(0, maxNameChars).toWellFormed()}…` : text;
}

function fieldError({ instancePath, keyword, params, message }: FastifySchemaValidationError): FieldError {
  const at = pathOf(instancePath);
  const inside = (name: unknown) => (at === '' ? String(name) : `${at}.${name}`);
  if (keyword === 'additionalProperties')
    return { path: inside(shownName(params.additionalProperty)), message: 'is not a known field' };
  if (keyword === 'required') return { path: inside(params.missingProperty), message: 'is missing' };
  if (keyword === 'enum') return { path: at, message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` };
  return { path: at === '' ? 'body' : at, message: wordsOf[keyword]?.(params) ?? message ?? 'is not valid' };
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** Ajv's own words are for programmers: `must NOT have more than 500 characters`, `must match pattern "^\\d{1,4}$"`. */
const wordsOf: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map(one => typeWords[one as string] ?? one)
      .join(' or ')}`,
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} items`),
  maximum: ({ limit }) => `must be at most ${limit}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  pattern: () => 'does not have the expected form',
};

/** A person needs the first of them. */
const maxFieldErrors = 50;

/** A body may be wrong in ten thousand places. A field has a few failures at most. */
const maxFailures = 20 * maxFieldErrors;

/** An `anyOf` fails with an error for each branch; a person needs only one per field. */
function fieldErrors(failures: readonly FastifySchemaValidationError[]): FieldError[] {
  const byPlace = new Map<string, FieldError>();
  for (const failure of failures.slice(0, maxFailures)) {
    const error = fieldError(failure);
    const key = failure.keyword === 'additionalProperties' ? `+${error.path}` : error.path;
    const said = byPlace.get(key);
    const kind = error.message.replace('must be ', '');
    if (!said) byPlace.set(key, error);
    else if (failure.keyword === 'type' && !said.message.includes(kind))
      byPlace.set(key, { path: said.path, message: `${said.message} or ${kind}` });
  }
  return [...byPlace.values()].filter(error => !error.message.startsWith('must match a schema')).slice(0, maxFieldErrors);
}

const fastifyCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
};

/** The refusal for a thrown error. Only a `Refusal` has its own wording; a stack trace never leaves the process. */
export function refusalOf(error: FastifyError): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error.validation) {
    const errors = fieldErrors(error.validation);
    return new Refusal('invalid', { errors, detail: errors.map(({ path, message }) => `${path}: ${message}`).join('; ') });
  }
  const known = fastifyCodes[error.code];
  const { maxBytes } = error as Partial<BodyTooLarge>;
  if (known) return new Refusal(known, maxBytes === undefined ? {} : { detail: `The body may have at most ${maxBytes} bytes.` });
  return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
    ? new Refusal('bad_request')
    : undefined;
}

/** A form too large to be read can't be shown again with its words. Behind Back, browsers usually have them. */
function pageDetail(request: FastifyRequest, { code, extras: { detail } }: Refusal): string | undefined {
  if (code !== 'too_large' || !isOwnForm(request)) return detail;
  return [detail, 'Go back, shorten your text and send it again.'].filter(Boolean).join(' ');
}

export type SendErrorPage = (reply: FastifyReply, code: ErrorCode, detail: string | undefined) => FastifyReply;

function isApi(request: FastifyRequest): boolean {
  return /^\/(?:api|healthz|readyz)(?:[/?]|$)/.test(treatedAs(request));
}

const isReading = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** Leads to another address of ours. Nobody keeps the answer: it may hold an edit token. */
const lead = (reply: FastifyReply, url: string): FastifyReply => reply.header('cache-control', 'no-store').redirect(url, 303);

/** When a page's own form sends the request, a person waits for a page. */
function isOwnForm(request: FastifyRequest): boolean {
  return request.routeOptions.config.accepts === 'form' && isForm(request);
}

/** One line a second is enough to see an outage, and a log on the same full disk must not grow by a line for each request. */
const outageLineMs = 1_000;

function createOutageLog(words: string): (log: FastifyBaseLogger, cause: unknown) => void {
  let last = Number.NEGATIVE_INFINITY;
  let more = 0;
  return (log, cause) => {
    const now = performance.now();
    if (now - last < outageLineMs) {
      more += 1;
      return;
    }
    log.error({ err: cause, more }, words);
    last = now;
    more = 0;
  };
}

/** A probe's refusal wraps the database's own, which wraps what happened: "disk full" helps an operator, our words to clients don't. */
function rootOf(cause: unknown): unknown {
  return cause instanceof Refusal && cause.cause !== undefined ? rootOf(cause.cause) : cause;
}

const isOfImageStore = (cause: unknown) => (cause as Error).name === 'ObjectStoreFailed';

/** Sends problem documents to programs and pages to people, with the same statuses. */
export function answerErrors(app: FastifyInstance, sendErrorPage: SendErrorPage): void {
  const outages = {
    database: createOutageLog('the database is unavailable; requests are answered with 503'),
    images: createOutageLog('the image store failed; the upload or image was refused'),
  };
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const refusal = refusalOf(error) ?? new Refusal('internal');
    if (refusal.code === 'too_large' || refusal instanceof EncodedBody || request.bodyCutOff) await drainBody(request.raw);
    const cause = rootOf(refusal.cause);
    if (cause !== undefined) outages[isOfImageStore(cause) ? 'images' : 'database'](request.log, cause);
    if (refusal.code === 'internal')
      request.log.error({ err: error, method: request.method, path: redactedPath(request.url) }, 'request failed');
    // RFC 9110 §15.5.16: says that the coding is what was refused.
    if (refusal instanceof EncodedBody) reply.header('accept-encoding', 'identity');
    if (wantsLines(request)) return sendRefusalLine(reply, refusal);
    if (isApi(request) && !isOwnForm(request)) return sendProblem(reply, refusal.code, refusal.extras);
    const meant = refusal.code === 'not_found' && isReading(request) ? meantSlug(request.url) : undefined;
    if (meant !== undefined) return lead(reply, meant);
    if (refusal.status === 401) reply.header('www-authenticate', challengeOf(refusal.code));
    if (refusal.extras.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.extras.retryAfterSeconds);
    return sendErrorPage(reply, refusal.code, pageDetail(request, refusal));
  });
}

/**
 * A path that exists for other methods answers 405 with `Allow`; every other path is 404. A browser that opens the address of a form is led
 * to the form's page, and a slash at the end is taken away.
 */
export function answerUnknownPaths(
  app: FastifyInstance,
  routes: readonly { method: string; pattern: RegExp }[],
  sendErrorPage: SendErrorPage,
): void {
  app.setNotFoundHandler((request, reply) => {
    const path = /^[^?#]*/.exec(request.url)![0];
    const allowed = [...new Set(routes.filter(route => route.pattern.test(path)).map(route => route.method))];
    const code: ErrorCode = allowed.length > 0 && !allowed.includes(request.method) ? 'method_not_allowed' : 'not_found';
    if (isReading(request)) {
      const form = code === 'method_not_allowed' ? formPage(path, request.headers) : undefined;
      const meant = form ?? meantAddress(request.url);
      const meantPath = meant?.replace(/[?#].*/s, '');
      if (meant !== undefined && routes.some(route => route.method === 'GET' && route.pattern.test(meantPath!)))
        return lead(reply, meant);
    }
    if (code === 'method_not_allowed') reply.header('allow', allowed.join(', '));
    return isApi(request) ? sendProblem(reply, code) : sendErrorPage(reply, code, undefined);
  });
}

/** Collects the routes given to the router, for `answerUnknownPaths`; call before the routes are added. */
export function collectRoutes(app: FastifyInstance): { method: string; pattern: RegExp }[] {
  const routes: { method: string; pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return;
    const source = url
      .split('/')
      .map(part => (part.startsWith(':') ? '[^/]+' : part.replace(/[.]/g, '\\.')))
      .join('/');
    // super-linear: our own routes' addresses, one path segment at a time.
    for (const one of [method].flat()) routes.push({ method: one, pattern: new RegExp(`^${source}$`) });
  });
  return routes;
}

export function statusOf(code: ErrorCode): number {
  return catalog[code].status;
}
