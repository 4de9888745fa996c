import type { Call } from '../../api/call.ts';
import * as calls from '../../api/first-calls.ts';
import type { ApiPage, NewNotebook } from '../../api/types.ts';
import { RequestTimeout } from './request-timeout.ts';

/** The server refused; `code` is one of the catalogue in errors.ts. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** `unknown`: no refusal of ours, but of something on the way, a proxy or a hotel. */
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  /** The page as it stands, with `stale_revision`. */
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

/** No answer came at all, or none of ours: whether the server did what it was asked, nobody knows. */
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
  /** The same request again, after its answer was lost, is done once. */
  readonly idempotencyKey?: string | undefined;
  /** Lets the request outlive the page; browsers allow 64 kB for that. */
  readonly keepalive?: boolean;
  readonly signal?: AbortSignal;
  readonly ifNoneMatch?: string | undefined;
}

/** @param names what stands in the address: a slug, a page's id */
export async function call<Names extends readonly string[], Body, Answer>(
  to: Call<Names, Body, Answer>,
  names: Names,
  options: CallOptions<Body> = {},
): Promise<Answer> {
  const response = await ask(to, names, options);
  return (response.status === 204 ? undefined : await readAnswer(response)) as Answer;
}

/** A connection may break in the middle of an answer, and what answers in a hotel is not always the server. */
export function readAnswer(response: Response): Promise<unknown> {
  return response.json().catch(noAnswer);
}

function noAnswer(cause: unknown): never {
  throw cause instanceof DOMException && cause.name === 'AbortError' ? cause : new NoConnection(cause);
}

/** @throws ApiProblem for everything but success, 304 included */
export async function ask<Names extends readonly string[]>(
  { method, path }: Pick<Call<Names>, 'method' | 'path'>,
  names: Names,
  options: CallOptions,
): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (options.editToken !== undefined) headers['X-Edit-Token'] = options.editToken;
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  if (options.ifMatch !== undefined) headers['If-Match'] = `"${options.ifMatch}"`;
  if (options.idempotencyKey !== undefined) headers['Idempotency-Key'] = `"${options.idempotencyKey}"`;
  if (options.ifNoneMatch !== undefined) headers['If-None-Match'] = options.ifNoneMatch;
  const body = options.body === undefined ? null : JSON.stringify(options.body);
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
  // A notebook of many pages may take its time, once it comes.
  timeout.waitFor(Number(response.headers.get('content-length') ?? Number.NaN));
  if (!response.ok) throw new ApiProblem(response, await readProblem(response));
  return response;
}

async function readProblem(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** @param idempotencyKey the same one as long as nobody knows whether the notebook was created */
export const createNotebook = (body: NewNotebook, idempotencyKey: string) =>
  call(calls.createNotebook, [], { body, idempotencyKey });
