import type { Call } from '../../api/call.ts';
import * as calls from '../../api/calls.ts';
import type {
  ApiComment,
  ApiImage,
  ApiNotebook,
  ApiPage,
  ApiSnapshotHead,
  NewPage,
  NotebookChange,
  PageChange,
} from '../../api/types.ts';
import { ApiProblem, ask, type CallOptions, call, NoConnection, readAnswer } from './api-client.ts';
import { NotSent, requireEditToken, requireNotebook, requirePage } from './own-answers.ts';

// Separate from api-client.ts, because pages that only create a notebook need none of this.

/** The current notebook, or undefined if it still matches `etag`; then hardly anything is transferred. */
export async function getNotebookUnless(
  etag: string | undefined,
  { slug, editToken }: { slug: string; editToken: string | undefined },
): Promise<{ notebook: ApiNotebook; etag: string | undefined } | undefined> {
  const options = { editToken, ...(etag !== undefined && { headers: { 'If-None-Match': etag } }) };
  try {
    const response = await (editToken === undefined
      ? ask(calls.readNotebook, [slug], options)
      : ask(calls.readOwnNotebook, [], options));
    const notebook = requireNotebook((await readAnswer(response)) as ApiNotebook | null);
    return { notebook, etag: response.headers.get('etag') ?? undefined };
  } catch (problem) {
    if (problem instanceof ApiProblem && problem.status === 304) return undefined;
    throw problem;
  }
}

export interface AddedPage {
  readonly page: ApiPage;
  /** An earlier request with this key had arrived. */
  readonly wasThere: boolean;
}

/**
 * The API of one notebook. It sends the edit token in a header, never in an address. A visitor under open editing has no
 * token; the server then allows content changes and refuses the rest.
 */
export class NotebookApi {
  readonly slug: string;
  readonly editToken: string | undefined;
  readonly #onWrite: (answer: Promise<unknown>) => void;

  /** @param onWrite called with the pending answer of every change except a change of a page */
  constructor(slug: string, editToken: string | undefined, onWrite: (answer: Promise<unknown>) => void = () => {}) {
    this.slug = slug;
    this.editToken = editToken;
    this.#onWrite = onWrite;
  }

  changeNotebook(body: NotebookChange, options: { keepalive?: boolean } = {}): Promise<ApiNotebook> {
    return this.#write(calls.changeNotebook, [this.slug], { body, ...options }, requireNotebook);
  }

  deleteNotebook() {
    return this.#write(calls.deleteNotebook, [this.slug]);
  }

  /** @param idempotencyKey one per replacement, however often it is sent */
  rotateToken(idempotencyKey: string) {
    return this.#write(calls.rotateEditToken, [this.slug], { idempotencyKey }, requireEditToken);
  }

  /** @param idempotencyKey one per page, however often it is sent */
  addPage(body: NewPage, idempotencyKey: string): Promise<AddedPage> {
    const { editToken } = this;
    const answer = ask(calls.addPage, [this.slug], { editToken, body, idempotencyKey }).then(async response => ({
      page: requirePage((await readAnswer(response)) as ApiPage | null),
      wasThere: response.status === 200,
    }));
    this.#onWrite(answer);
    return answer;
  }

  async getPage(pageId: string): Promise<ApiPage> {
    return requirePage(await this.#ask(calls.readPage, [this.slug, pageId]));
  }

  /** Accepts only an answer with this page and its new revision: text that counts as saved is forgotten on this device. */
  async changePage(pageId: string, body: PageChange, options: { ifMatch?: number; keepalive?: boolean } = {}): Promise<ApiPage> {
    const page = requirePage(await this.#ask(calls.changePage, [this.slug, pageId], { body, ...options }));
    if (page.id !== pageId) throw new NoConnection('not an answer of ours');
    return page;
  }

  deletePage(pageId: string, options: { ifMatch?: number; keepalive?: boolean } = {}): Promise<undefined> {
    return this.#write(calls.deletePage, [this.slug, pageId], options);
  }

  async listSnapshots(pageId: string): Promise<readonly ApiSnapshotHead[]> {
    return (await this.#ask(calls.listSnapshots, [this.slug, pageId])).items;
  }

  getSnapshot(snapshotId: string) {
    return this.#ask(calls.readSnapshot, [this.slug, snapshotId]);
  }

  restoreSnapshot(snapshotId: string): Promise<ApiPage> {
    return this.#write(calls.restoreSnapshot, [this.slug, snapshotId], {}, requirePage);
  }

  async listComments(): Promise<readonly ApiComment[]> {
    return (await this.#ask(calls.listComments, [this.slug])).items;
  }

  deleteComment(commentId: string): Promise<undefined> {
    return this.#write(calls.deleteComment, [this.slug, commentId]);
  }

  async listImages(): Promise<readonly ApiImage[]> {
    return (await this.#ask(calls.listImages, [this.slug])).items;
  }

  deleteImage(imageId: string): Promise<undefined> {
    return this.#write(calls.deleteImage, [this.slug, imageId]);
  }

  #ask<Names extends readonly string[], Body, Answer>(
    to: Call<Names, Body, Answer>,
    names: Names,
    options: CallOptions<Body> = {},
  ): Promise<Answer> {
    return call(to, names, { editToken: this.editToken, ...options });
  }

  #write<Names extends readonly string[], Body, Answer>(
    to: Call<Names, Body, Answer>,
    names: Names,
    options: CallOptions<Body> = {},
    read = (answer: Answer): Answer => answer,
  ): Promise<Answer> {
    const isOffline = () => navigator.onLine === false;
    const wasOffline = isOffline();
    const answer = this.#ask(to, names, options)
      .then(read)
      .catch((problem: unknown) => {
        throw problem instanceof NoConnection && wasOffline && isOffline() ? new NotSent(problem) : problem;
      });
    this.#onWrite(answer);
    return answer;
  }
}
