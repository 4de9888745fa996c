import { filesUrl } from '../../embed-urls.ts';
import { urls } from '../../urls.ts';
import { CannotDo } from '../command.ts';

export interface RemotePage {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  readonly revision: number;
}

export interface PageInput {
  readonly title?: string | undefined;
  readonly markdown: string;
  readonly file?: { readonly path: string; readonly patch: string } | undefined;
}

export interface RemoteFile {
  readonly pageId: string;
  readonly path: string;
  readonly patch: string;
}

export interface RemoteNotebook {
  readonly slug: string;
  readonly title: string;
  readonly pages: readonly RemotePage[];
}

export interface Created {
  readonly notebook: RemoteNotebook;
  readonly editToken: string;
  readonly viewUrl: string;
  readonly editUrl: string;
}

/** An answer that is a refusal, in the server's words. */
export class Refused extends CannotDo {
  readonly status: number;
  readonly code: string;
  /** With 412: what the server has. */
  readonly page: RemotePage | undefined;

  constructor(status: number, problem: { title?: string; detail?: string; code?: string; page?: RemotePage }) {
    super([problem.title ?? `The server answered ${status}.`, problem.detail].filter(Boolean).join(' '));
    this.status = status;
    this.code = problem.code ?? '';
    this.page = problem.page;
  }
}

const patienceMs = 60_000;

/** The HTTP API of some Octavo, as far as push and pull need it. */
export class NotebookServer {
  readonly origin: string;
  editToken: string | undefined;
  #cookie: string | undefined;

  /** @param origin as `https://notes.example`, without a slash at its end */
  constructor(origin: string, editToken: string | undefined) {
    this.origin = origin;
    this.editToken = editToken;
  }

  create(pages: readonly PageInput[]): Promise<Created> {
    return this.#ask('POST', urls.api.notebooks(), { pages });
  }

  getNotebook(slug: string): Promise<RemoteNotebook> {
    return this.#ask('GET', urls.api.notebook(slug));
  }

  addPage(slug: string, page: PageInput): Promise<RemotePage> {
    return this.#ask('POST', urls.api.pages(slug), page);
  }

  changePage(slug: string, pageId: string, page: PageInput, ifMatch: number | undefined): Promise<RemotePage> {
    const match = ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` };
    return this.#ask('PATCH', urls.api.page(slug, pageId), page, match);
  }

  /** Nothing where the server does not say: without the edit token, or on an older one. */
  async listFiles(slug: string): Promise<readonly RemoteFile[]> {
    if (!this.editToken) return [];
    const answer = await this.#send('GET', filesUrl(slug), undefined, {});
    return answer.ok ? ((await answer.json()) as { items: RemoteFile[] }).items : [];
  }

  async addImage(slug: string, bytes: Uint8Array): Promise<{ url: string }> {
    const answer = await this.#send('POST', urls.api.images(slug), bytes, {});
    if (!answer.ok) throw await refusal(answer);
    return (await answer.json()) as { url: string };
  }

  async unlock(slug: string, password: string): Promise<void> {
    const answer = await this.#send('POST', urls.api.unlock(slug), { password }, {});
    if (!answer.ok) throw await refusal(answer);
    this.#cookie = answer.headers
      .getSetCookie()
      .map(cookie => cookie.split(';')[0])
      .join('; ');
  }

  async #ask<Answer>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.#send(method, path, body, headers);
    if (!answer.ok) throw await refusal(answer);
    return (await answer.json()) as Answer;
  }

  async #send(
    method: string,
    path: string,
    body: object | Uint8Array | undefined,
    headers: Record<string, string>,
  ): Promise<Response> {
    const raw = body instanceof Uint8Array;
    const all = {
      ...headers,
      ...(body ? { 'content-type': raw ? 'application/octet-stream' : 'application/json' } : {}),
      ...(this.editToken ? { 'x-edit-token': this.editToken } : {}),
      ...(this.#cookie ? { cookie: this.#cookie } : {}),
    };
    const sent = body ? { body: raw ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) } : {};
    try {
      // A redirect would carry the edit token to wherever it points.
      return await fetch(this.origin + path, {
        method,
        headers: all,
        ...sent,
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMs),
      });
    } catch (error) {
      const { message, cause } = error as Error;
      throw new CannotDo(`${this.origin} does not answer: ${cause instanceof Error ? cause.message : message}`);
    }
  }
}

async function refusal(answer: Response): Promise<Error> {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    return new CannotDo(`The server sends on to ${answer.headers.get('location')}: give that address as --server.`);
  }
  const text = await answer.text();
  try {
    return new Refused(status, JSON.parse(text));
  } catch {
    return new CannotDo(`The server answered ${status}, and not as Octavo does. Is --server right?`);
  }
}
