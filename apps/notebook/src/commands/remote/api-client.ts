import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Call } from '../../api/call.ts';
import * as calls from '../../api/calls.ts';
import type { ApiCreated, ApiNotebook, ApiPage, ApiPageFile, ApiRefusal, NewPage, PageChange } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { CommandFailed } from '../command.ts';
import { fetchWithTimeout } from './fetch-with-timeout.ts';

/** The fields of a page that `push` sends; always with the text, because a file is read whole. */
export type PageInput = Pick<NewPage, 'title' | 'file'> & { readonly markdown: string };

/** A refusal, in the server's own words. */
export class Refused extends CommandFailed {
  readonly status: number;
  readonly code: string;
  /** With 412: the server's current page. */
  readonly page: ApiPage | undefined;

  constructor(status: number, problem: Partial<ApiRefusal>) {
    super([problem.title ?? `The server answered ${status}.`, problem.detail].filter(Boolean).join(' '));
    this.status = status;
    this.code = problem.code ?? '';
    this.page = problem.page;
  }
}

/** The server cannot be reached, or its answer was lost. */
export class NoAnswer extends CommandFailed {}

/** Something between here and the service takes no request of this size; the service itself answers in its own words. */
export class RequestTooLarge extends CommandFailed {
  constructor(bytes: number) {
    super(
      `a proxy in front of the server takes no request of ${Math.round(bytes / 1_000)} kB (413). Send less in one file, or have its operator raise the limit (nginx: client_max_body_size)`,
    );
  }
}

/** Nobody knows whether the server did what it was asked to do. */
class Unanswered extends NoAnswer {}

/** With these codes, the request cannot have arrived. */
const neverArrived = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** A line of 64 kbit/s: nobody waits for more than that beside a server that is silent. */
const slowestBytesPerMs = 8;

/** Never longer than a server waits for a request. */
function sendMsOf(body: string | Uint8Array | undefined): number {
  const bytes = body === undefined ? 0 : Buffer.byteLength(body);
  return Math.min(limits.requestSeconds * 1_000, Math.ceil(bytes / slowestBytesPerMs));
}

/** The HTTP API of an Octavo server, as far as push and pull need it. */
export class ApiClient {
  readonly origin: string;
  editToken: string | undefined;
  #cookie: string | undefined;

  /** @param origin such as `https://notes.example`, without a trailing slash */
  constructor(origin: string, editToken: string | undefined) {
    this.origin = origin;
    this.editToken = editToken;
  }

  /** Retries when the answer is lost, because only the answer contains the edit token. The notebook is created once. */
  async create(pages: readonly PageInput[]): Promise<ApiCreated> {
    const headers = { 'idempotency-key': `"${randomUUID()}"` };
    for (let tries = 1; ; tries++) {
      try {
        return await this.#ask(calls.createNotebook, [], { pages }, headers);
      } catch (error) {
        if (!(error instanceof Unanswered) || tries === 3) throw error;
      }
      await setTimeout(500 * tries);
    }
  }

  getNotebook(slug: string): Promise<ApiNotebook> {
    return this.#ask(calls.readNotebook, [slug]);
  }

  /** @param key one for each page, however often it is sent */
  addPage(slug: string, page: PageInput, key: string): Promise<ApiPage> {
    return this.#ask(calls.addPage, [slug], page, { 'idempotency-key': `"${key}"` });
  }

  changePage(slug: string, pageId: string, page: PageChange, ifMatch: number | undefined): Promise<ApiPage> {
    // Twice: some proxies take `If-Match` away, and without it the last writer wins.
    const match = ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"`, 'x-page-revision': `"${ifMatch}"` };
    return this.#ask(calls.changePage, [slug, pageId], page, match);
  }

  /**
   * Empty when the server does not list them: without the edit token, or on an older server. Any other failure throws rather than returning
   * an empty list: files would be replaced with less than they hold.
   */
  async listFiles(slug: string): Promise<readonly ApiPageFile[]> {
    if (!this.editToken) return [];
    try {
      return (await this.#ask(calls.listPageFiles, [slug])).items;
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return [];
      throw error;
    }
  }

  async listImages(slug: string): Promise<readonly { readonly url: string }[]> {
    return (await this.#ask(calls.listImages, [slug])).items;
  }

  addImage(slug: string, bytes: Uint8Array): Promise<{ readonly url: string }> {
    return this.#ask(calls.addImage, [slug], bytes);
  }

  async unlock(slug: string, password: string): Promise<void> {
    const answer = await this.#send(calls.unlockNotebook, [slug], { password });
    if (!answer.ok) throw await this.#refusal(answer, undefined);
    this.#cookie = answer.headers
      .getSetCookie()
      .map(cookie => cookie.split(';')[0])
      .join('; ');
  }

  async #ask<Names extends readonly string[], Body extends object | undefined, Answer>(
    call: Call<Names, Body, Answer>,
    names: Names,
    body?: Body,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await this.#send(call, names, body, headers);
    if (!answer.ok) throw await this.#refusal(answer, body);
    return (await answer.json().catch((error: Error) => {
      throw error instanceof SyntaxError ? notOctavo(answer.status) : this.#noAnswer(error);
    })) as Answer;
  }

  async #send<Names extends readonly string[]>(
    { method, path }: Pick<Call<Names>, 'method' | 'path'>,
    names: Names,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const raw = body instanceof Uint8Array;
    const all = {
      ...headers,
      ...(body ? { 'content-type': raw ? 'application/octet-stream' : 'application/json' } : {}),
      ...(this.editToken ? { 'x-edit-token': this.editToken } : {}),
      ...(this.#cookie ? { cookie: this.#cookie } : {}),
    };
    const sent = body && (raw ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body));
    try {
      // A redirect would send the edit token wherever it points.
      const request = { method, headers: all, ...(sent && { body: sent }), redirect: 'manual' } as const;
      return await fetchWithTimeout(this.origin + path(...names), request, sendMsOf(sent));
    } catch (error) {
      throw this.#noAnswer(error as Error);
    }
  }

  async #refusal(answer: Response, body: object | undefined): Promise<Error> {
    const { status } = answer;
    if (status >= 300 && status < 400) {
      return new CommandFailed(`The server sends on to ${answer.headers.get('location')}: give that address as --server.`);
    }
    let text: string;
    try {
      text = await answer.text();
    } catch (error) {
      return this.#noAnswer(error as Error);
    }
    const problem = problemIn(text);
    if (problem?.code === undefined && status === 413) return new RequestTooLarge(bytesOf(body));
    return problem ? new Refused(status, problem) : notOctavo(status);
  }

  #noAnswer({ message, cause }: Error): CommandFailed {
    const sentence = `${this.origin} does not answer: ${cause instanceof Error ? cause.message : message}`;
    const { code } = (cause ?? {}) as NodeJS.ErrnoException;
    return new (neverArrived.includes(code ?? '') ? NoAnswer : Unanswered)(sentence);
  }
}

function problemIn(text: string): Partial<ApiRefusal> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const bytesOf = (body: object | undefined) =>
  body instanceof Uint8Array ? body.length : Buffer.byteLength(JSON.stringify(body ?? ''));

const notOctavo = (status: number) =>
  new CommandFailed(`The server answered ${status}, and not as Octavo does. Is --server right?`);
