import type { Environment } from '../environment.ts';
import { OidcError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { type JsonObject, readJsonObject } from '../values/json.ts';

/** The parts and the limits of a call to the provider. */
export interface HttpParts {
  environment: Environment;
  limits: Limits;
  /** Called before every outbound request; throws to forbid it. */
  guardUrl?: ((url: URL) => Promise<void> | void) | undefined;
}

/** One request to a provider. */
export interface HttpRequest {
  /** Names the exchange in errors, such as `token` or `jwks`. */
  subject: string;
  url: URL;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: URLSearchParams;
  maxBytes?: number;
}

/** An answer that was read to its end within the limits of time and size. */
export interface HttpAnswer {
  status: number;
  /** The media type in lower case, without parameters. */
  contentType: string;
  headers: Headers;
  body: Uint8Array;
}

/**
 * Calls the provider once: never follows a redirect, never waits past the timeout, never keeps more than the size limit, sends no
 * cookies and leaves nothing in a cache. It does not retry: that is the caller's decision.
 */
export async function exchange(parts: HttpParts, request: HttpRequest): Promise<HttpAnswer> {
  const abort = new AbortController();
  const deadline = within(parts.limits.requestTimeoutMs, request.subject, abort);
  try {
    return await Promise.race([guarded(parts, request, abort.signal), deadline.passed]);
  } catch (error) {
    if (error instanceof OidcError) throw error;
    throw new OidcError('OIDC_HTTP_NETWORK', { check: request.subject, received: networkCode(error), cause: error });
  } finally {
    deadline.stop();
    // Cancels a body that nobody reads any more.
    abort.abort();
  }
}

/** Reads the JSON object in an answer. */
export function readJsonAnswer(answer: HttpAnswer, subject: string): JsonObject {
  if (!/^application\/(?:[a-z0-9.-]+\+)?json$/.test(answer.contentType)) {
    throw new OidcError('OIDC_HTTP_CONTENT_TYPE', { check: subject, expected: 'application/json', received: answer.contentType });
  }
  return readJsonObject(answer.body, subject);
}

/** Refuses every status but the given ones. */
export function requireStatus({ status, headers }: HttpAnswer, expected: readonly number[], subject: string): void {
  if (expected.includes(status)) return;
  const retryAfterSeconds = status === 429 || status === 503 ? findRetryAfter(headers) : undefined;
  throw new OidcError('OIDC_HTTP_STATUS', {
    check: subject,
    expected: expected.join(' or '),
    received: status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

const longestRetryAfterSeconds = 3_600;

/** When the provider wants to be asked again (RFC 9110 §10.2.3): seconds, or a date, which its own clock said beside it. */
function findRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(1, Math.ceil(seconds)), longestRetryAfterSeconds);
}

async function guarded(parts: HttpParts, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  try {
    await parts.guardUrl?.(new URL(request.url));
  } catch (cause) {
    if (cause instanceof OidcError) throw cause;
    throw new OidcError('OIDC_HTTP_URL_REFUSED', { check: `${request.subject}.guardUrl`, received: request.url.hostname, cause });
  }
  // The guard may have taken its time: nothing is sent after the timeout.
  signal.throwIfAborted();
  return answer(parts, request, signal);
}

async function answer(parts: HttpParts, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const response = await parts.environment.fetch(request.url.href, {
    method: request.method ?? 'GET',
    headers: { accept: 'application/json', ...request.headers },
    body: request.body ?? null,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    signal,
  });
  // A browser hides the redirect behind status 0 and type "opaqueredirect"; a server shows the 3xx.
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    throw new OidcError('OIDC_HTTP_REDIRECT', { check: request.subject, received: response.status });
  }
  const body = await readBody(response, request.maxBytes ?? parts.limits.maxResponseBytes, request.subject, signal);
  const contentType = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  return { status: response.status, contentType, headers: response.headers, body };
}

/** Reads the bytes of a body, counted as they arrive, after decompression: a length header proves nothing. */
export async function readBody(
  message: Response | Request,
  maxBytes: number,
  subject: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = message.body?.getReader();
  const stop = () => void reader?.cancel().catch(() => undefined);
  // An injected fetch may ignore the signal, and a body without an end would be read forever.
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.byteLength;
    if (length > maxBytes) {
      stop();
      throw new OidcError('OIDC_HTTP_TOO_LARGE', { check: subject, expected: `at most ${maxBytes} bytes` });
    }
    chunks.push(part.value);
  }
  return joined(chunks, length);
}

function joined(chunks: Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

// Races in addition to aborting, because an injected fetch may ignore the signal.
function within(timeoutMs: number, subject: string, abort: AbortController): { passed: Promise<never>; stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const timer = setTimeout(() => {
    reject(new OidcError('OIDC_HTTP_TIMEOUT', { check: subject, expected: `a response within ${timeoutMs} ms` }));
    abort.abort();
  }, timeoutMs);
  return { passed: promise, stop: () => clearTimeout(timer) };
}

function networkCode(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : cause instanceof Error ? cause.name : 'unknown';
}
