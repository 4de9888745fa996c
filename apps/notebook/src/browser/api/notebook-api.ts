import { urls } from '../../urls.ts';
import { ApiProblem, ask, call, NoConnection, readAnswer } from './api-client.ts';
import type { ApiComment, ApiImage, ApiNotebook, ApiPage, ApiSnapshot, NotebookChange } from './api-types.ts';

// Apart from api-client.ts: the pages that only create a notebook do without all this.

/** The notebook as it is now, or undefined while it is what `etag` names: then hardly anything travels. */
export async function getNotebookUnless(
  etag: string | undefined,
  { slug, editToken }: { slug: string; editToken: string | undefined },
): Promise<{ notebook: ApiNotebook; etag: string | undefined } | undefined> {
  const path = editToken === undefined ? urls.api.notebook(slug) : urls.api.ownNotebook();
  try {
    const response = await ask(path, { editToken, ifNoneMatch: etag });
    return { notebook: (await readAnswer(response)) as ApiNotebook, etag: response.headers.get('etag') ?? undefined };
  } catch (problem) {
    if (problem instanceof ApiProblem && problem.status === 304) return undefined;
    throw problem;
  }
}

/**
 * What may be done to one notebook, with its edit token in the header and never in an address. A visitor under open editing has no
 * token; the server lets content through and refuses the rest.
 */
export class NotebookApi {
  readonly slug: string;
  readonly editToken: string | undefined;
  readonly #onWrite: (answer: Promise<unknown>) => void;

  /** @param onWrite told of every change but that of a page, with its answer to come */
  constructor(slug: string, editToken: string | undefined, onWrite: (answer: Promise<unknown>) => void = () => {}) {
    this.slug = slug;
    this.editToken = editToken;
    this.#onWrite = onWrite;
  }

  changeNotebook(body: NotebookChange): Promise<ApiNotebook> {
    return this.#write('PATCH', urls.api.notebook(this.slug), body);
  }

  deleteNotebook(): Promise<{ deleted: true }> {
    return this.#write('DELETE', urls.api.notebook(this.slug));
  }

  rotateToken(): Promise<{ editToken: string; editUrl: string }> {
    return this.#write('POST', urls.api.token(this.slug));
  }

  addPage(body: {
    title?: string;
    markdown?: string;
    after?: string;
    file?: { readonly path: string; readonly patch: string };
  }): Promise<ApiPage> {
    return this.#write('POST', urls.api.pages(this.slug), body);
  }

  /** Whatever is told of a save, only this page with its new revision is believed: a text that is taken for saved is forgotten here. */
  async changePage(pageId: string, body: PageChange, options: { ifMatch?: number; keepalive?: boolean } = {}): Promise<ApiPage> {
    const path = urls.api.page(this.slug, pageId);
    const page = await call<ApiPage | null>(path, { method: 'PATCH', editToken: this.editToken, body, ...options });
    if (page?.id !== pageId || !Number.isInteger(page.revision)) throw new NoConnection('not an answer of ours');
    return page;
  }

  deletePage(pageId: string, options: { ifMatch?: number; keepalive?: boolean } = {}): Promise<void> {
    return this.#write('DELETE', urls.api.page(this.slug, pageId), undefined, options);
  }

  async listSnapshots(pageId: string): Promise<readonly ApiSnapshot[]> {
    const answer = await call<{ items: readonly ApiSnapshot[] }>(urls.api.snapshots(this.slug, pageId), {
      editToken: this.editToken,
    });
    return answer.items;
  }

  getSnapshot(pageId: string, snapshotId: string): Promise<ApiSnapshot> {
    return call(urls.api.snapshot(this.slug, pageId, snapshotId), { editToken: this.editToken });
  }

  restoreSnapshot(pageId: string, snapshotId: string): Promise<ApiPage> {
    return this.#write('POST', urls.api.restore(this.slug, pageId, snapshotId));
  }

  async listComments(): Promise<readonly ApiComment[]> {
    const answer = await call<{ items: readonly ApiComment[] }>(urls.api.comments(this.slug), { editToken: this.editToken });
    return answer.items;
  }

  deleteComment(commentId: string): Promise<void> {
    return this.#write('DELETE', `${urls.api.comments(this.slug)}/${commentId}`);
  }

  async listImages(): Promise<readonly ApiImage[]> {
    const answer = await call<{ items: readonly ApiImage[] }>(urls.api.images(this.slug), { editToken: this.editToken });
    return answer.items;
  }

  deleteImage(imageId: string): Promise<void> {
    return this.#write('DELETE', `${urls.api.images(this.slug)}/${imageId}`);
  }

  #write<Answer>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options: { ifMatch?: number; keepalive?: boolean } = {},
  ): Promise<Answer> {
    const answer = call<Answer>(path, { method, editToken: this.editToken, body, ...options });
    this.#onWrite(answer);
    return answer;
  }
}

export interface PageChange {
  readonly title?: string;
  readonly markdown?: string;
  readonly autosave?: boolean;
}
