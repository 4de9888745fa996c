import type { Call } from '../../api/call.ts';
import * as calls from '../../api/first-calls.ts';
import type { ApiPage, NewNotebook } from '../../api/types.ts';
import { RequestTimeout } from './request-timeout.ts';

/** The server refused; `code` is one of the catalog in errors.ts. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** `unknown` when the refusal is not ours but comes from something on the way, such as a proxy or a hotel's network. */
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  /** The page's current state, with `stale_revision`. */
  readonly page: ApiPage | undefined;

  constructor(response: Response, body: Record<string, unknown>) {
    super(sentence(body, response.status));
    this.status = response.status;
    this.code = typeof body.code === 'string' ? body.code : 'unknown';
    const wait = Number(response.headers.get('retry-after'));
    this.retryAfterSeconds = wait > 0 ? wait : undefined;
    this.page = body.page as ApiPage | undefined;
  }
}

/** No answer came, or none of ours. We cannot know whether the server did what it was asked. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause });
  }
}

function sentence(body: Record<string, unknown>, status: number): string {
  const title = typeof body.title === 'string' ? body.title : `The server answered ${status}.`;
  return typeof body.detail === 'string' ? `${title} ${body.detail}` : title;
}

export interface CallOptions<Body = unknown> {
  readonly editToken?: string | undefined;
  readonly body?: Body;
  readonly ifMatch?: number | undefined;
  /** Lets a request be sent again after its answer was lost without being carried out twice. */
  readonly idempotencyKey?: string | undefined;
  /** Lets the request outlive the page. Browsers allow 64 kB for that. */
  readonly keepalive?: boolean;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @param names the variable parts of the path: a slug, a page id */
export async function call<Names extends readonly string[], Body, Answer>(
  to: Call<Names, Body, Answer>,
  names: Names,
  options: CallOptions<Body> = {},
): Promise<Answer> {
  const response = await ask(to, names, options);
  return (response.status === 204 ? undefined : await readAnswer(response)) as Answer;
}

/** @throws NoConnection when the answer breaks off or is not JSON: a hotel's network may answer instead of the server */
export function readAnswer(response: Response): Promise<unknown> {
  return response.json().catch(noAnswer);
}

function noAnswer(cause: unknown): never {
  throw (cause as Error | undefined)?.name === 'AbortError' ? cause : new NoConnection(cause);
}

/**
 * Replaces half emoji, which some keyboards leave behind, and NUL: the service refuses both (http/bodies/request-text.ts), and a person could not
 * find them in a text.
 */
const sendable = (_name: string, value: { replaceAll?: string['replaceAll'] } | null) =>
  value?.replaceAll?.(/[\p{Cs}\0]/gu, '\ufffd') ?? value;

/** @throws ApiProblem for everything but success, 304 included */
export async function ask<Names extends readonly string[]>(
  { method, path }: Pick<Call<Names>, 'method' | 'path'>,
  names: Names,
  options: CallOptions,
): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers };
  if (options.editToken !== undefined) headers['X-Edit-Token'] = options.editToken;
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  // Twice: some proxies take `If-Match` away, and without it the last writer wins.
  if (options.ifMatch !== undefined) headers['X-Page-Revision'] = headers['If-Match'] = `"${options.ifMatch}"`;
  if (options.idempotencyKey !== undefined) headers['Idempotency-Key'] = `"${options.idempotencyKey}"`;
  const body = options.body === undefined ? null : JSON.stringify(options.body, sendable);
  const timeout = new RequestTimeout();
  timeout.waitFor(body?.length ?? 0);
  const response = await fetch(path(...names), {
    method,
    headers,
    cache: 'no-store',
    keepalive: options.keepalive ?? false,
    body,
    signal: options.signal ? AbortSignal.any([options.signal, timeout.signal]) : timeout.signal,
  }).catch((cause: unknown) => {
    timeout.end();
    return noAnswer(cause);
  });
  // A large notebook may take longer to arrive once its answer has begun.
  timeout.waitFor(Number(response.headers.get('content-length') ?? Number.NaN));
  if (!response.ok) throw new ApiProblem(response, await readProblem(response));
  return response;
}

/** Nothing is read from an answer that is not ours. Text and numbers have none of the fields. */
const readProblem = async (response: Response): Promise<Record<string, unknown>> => (await response.json().catch(() => {})) ?? {};

/** @param idempotencyKey must stay the same until we know whether the notebook was created */
export const createNotebook = (body: NewNotebook, idempotencyKey: string) =>
  call(calls.createNotebook, [], { body, idempotencyKey });
