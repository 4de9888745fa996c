import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { ObjectStoreFailed } from './object-store.ts';
import { readErrorCode } from './s3-xml.ts';

export interface S3Account {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
  readonly region: string;
  /** True: `endpoint/bucket/key`; otherwise the bucket is the first label of the host. */
  readonly pathStyle: boolean;
}

export interface Deadlines {
  readonly tries: number;
  /** The limit for one try, including reading the answer's body. */
  readonly tryMs: number;
  /** The pause before the first retry; it doubles before each further one. */
  readonly pauseMs: number;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

export interface Outcome {
  readonly text: string;
}

/** About a minute at worst, while a person waits for an upload. */
const usual: Deadlines = { tries: 3, tryMs: 20_000, pauseMs: 250 };

/** The store is busy or failed temporarily; the same request may succeed next time. */
const passing = new Set([408, 429, 500, 502, 503, 504]);

/** With status 409: another request for the same object was being carried out. All other conflicts last. */
const passingConflicts = new Set(['OperationAborted', 'ConditionalRequestConflict']);

/** The answers that we read are lists of 1,000 keys, which are far smaller. */
const maxAnswerChars = 16 * 1024 * 1024;

/**
 * Signed requests to one bucket. Every kind of request may be sent twice (the same bytes under the same key, the same keys deleted), so
 * temporary failures are retried. Messages contain the status and the store's error code: no header, no body, no key of ours.
 */
export class S3Requests {
  readonly #account: S3Account;
  readonly #deadlines: Deadlines;
  readonly #fetch: typeof fetch;
  readonly #bucketUrl: string;
  /** Signing keys by day. */
  readonly #cache = new Map<string, ArrayBuffer>();

  constructor(account: S3Account, deadlines: Partial<Deadlines> = {}, fetching: typeof fetch = fetch) {
    this.#account = account;
    this.#deadlines = { ...usual, ...deadlines };
    this.#fetch = fetching;
    this.#bucketUrl = bucketUrl(account);
  }

  /**
   * Loads what the first request needs, and sends nothing. Node loads its `fetch` and its WebCrypto when they are first used, in one turn of
   * the event loop: the first upload after a start held up everybody for some 65 ms.
   */
  async prepare(): Promise<void> {
    await this.#sign({ method: 'PUT', key: 'prepare' }, new AbortController().signal);
    await (await fetch('data:,')).text();
  }

  /** @throws ObjectStoreFailed, or the signal's reason */
  async send(what: string, request: S3Request): Promise<Outcome> {
    const { tries, pauseMs } = this.#deadlines;
    for (let tried = 1; ; tried++) {
      request.signal?.throwIfAborted();
      const { outcome, failure, again } = await this.#try(request);
      if (outcome) return outcome;
      request.signal?.throwIfAborted();
      if (!again || tried === tries) throw new ObjectStoreFailed(`${what}: ${failure}`);
      await sleep(pauseMs * 2 ** (tried - 1) * (0.5 + Math.random()), undefined, { signal: request.signal });
    }
  }

  /**
   * An object's bytes as a stream; undefined when there is none. Not retried: bytes that were already read cannot be taken back.
   * @throws ObjectStoreFailed, or the signal's reason
   */
  async open(what: string, request: S3Request): Promise<AsyncIterable<Uint8Array> | undefined> {
    request.signal?.throwIfAborted();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#deadlines.tryMs);
    const signal = request.signal ? AbortSignal.any([late.signal, request.signal]) : late.signal;
    try {
      const answer = await this.#fetch(...(await this.#sign(request, signal)));
      if (answer.ok && answer.body) return answer.body;
      await answer.body?.cancel();
      if (answer.status === 404) return undefined;
      throw new ObjectStoreFailed(`${what}: the store answered ${answer.status}`);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof ObjectStoreFailed) throw error;
      throw new ObjectStoreFailed(`${what}: the store is out of reach (${networkCode(error)})`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #try(request: S3Request): Promise<{ outcome?: Outcome; failure?: string; again?: boolean }> {
    const timeout = AbortSignal.timeout(this.#deadlines.tryMs);
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
    try {
      const answer = await this.#fetch(...(await this.#sign(request, signal)));
      const text = await readText(answer);
      if (answer.ok) return { outcome: { text } };
      const code = readErrorCode(text);
      const again = answer.status === 409 ? passingConflicts.has(code ?? '') : passing.has(answer.status);
      return { failure: `the store answered ${answer.status}${code ? ` ${code}` : ''}`, again };
    } catch (error) {
      if (timeout.aborted) return { failure: `no answer within ${this.#deadlines.tryMs} ms`, again: true };
      return { failure: `the store is out of reach (${networkCode(error)})`, again: true };
    }
  }

  async #sign({ method, key, query = {}, headers = {}, body }: S3Request, signal: AbortSignal): Promise<[string, RequestInit]> {
    const path = key === undefined ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`;
    const url = new URL(this.#bucketUrl + path);
    url.search = new URLSearchParams(query).toString();
    const { accessKeyId, secretAccessKey, region } = this.#account;
    const signed = await new AwsV4Signer({
      url: url.href,
      method,
      // The signature covers the bytes: even without TLS, nobody can replace them on the way.
      headers: { ...headers, 'x-amz-content-sha256': sha256(body) },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      cache: this.#cache,
    }).sign();
    // With bytes as the body, fetch sends their number as Content-Length; a stream would be sent in chunks, which S3 answers with 411.
    const sent = body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> };
    // If it followed a redirect, the signature would be for another host.
    return [signed.url.href, { method, headers: signed.headers, ...sent, signal, redirect: 'manual' }];
  }
}

function bucketUrl({ endpoint, bucket, pathStyle }: S3Account): string {
  const url = new URL(endpoint);
  // super-linear: the operator's own address.
  const path = url.pathname.replace(/\/+$/, '');
  return pathStyle ? `${url.origin}${path}/${bucket}` : `${url.protocol}//${bucket}.${url.host}${path}`;
}

function sha256(body: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(body ?? '')
    .digest('hex');
}

/** @throws when the answer is longer than any that we ask for */
async function readText(answer: Response): Promise<string> {
  if (!answer.body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerChars) throw Object.assign(new Error('too long'), { code: 'answer too long' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** `ECONNREFUSED` and the like. Network messages contain addresses; codes are enough. */
function networkCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return String(cause?.code ?? code ?? 'the connection broke');
}
