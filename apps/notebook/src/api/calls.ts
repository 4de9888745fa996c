import { urls } from '../urls.ts';
import type { Call } from './call.ts';
import type {
  ApiAddedImage,
  ApiComment,
  ApiDeleted,
  ApiImage,
  ApiList,
  ApiPage,
  ApiPageFile,
  ApiSnapshot,
  ApiSnapshotHead,
  ApiToken,
  NewPage,
} from './types.ts';

export * from './changing-calls.ts';
export * from './first-calls.ts';
export * from './reading-calls.ts';

/** Every call that one of our programs makes or a route answers: methods, addresses, bodies and answers in one place. */

type Slug = [slug: string];
type PageOf = [slug: string, pageId: string];
type SnapshotOf = [slug: string, snapshotId: string];
type SnapshotOfPage = [slug: string, pageId: string, snapshotId: string];
type None = undefined;

const { api } = urls;

export const ping: Call<[], None, { readonly ok: true }> = { method: 'GET', path: api.ping };
export const search: Call<[], None> = { method: 'GET', path: api.search };

export const deleteNotebook: Call<Slug, None, ApiDeleted> = { method: 'DELETE', path: api.notebook };
export const rotateEditToken: Call<Slug, None, ApiToken> = { method: 'POST', path: api.token };
export const unlockNotebook: Call<Slug, { readonly password: string }, None> = { method: 'POST', path: api.unlock };
export const openOnce: Call<Slug, None, None> = { method: 'POST', path: api.open };
export const reportNotebook: Call<Slug> = { method: 'POST', path: api.reports };

export const addPage: Call<Slug, NewPage, ApiPage> = { method: 'POST', path: api.pages };
export const readPage: Call<PageOf, None, ApiPage> = { method: 'GET', path: api.page };
export const deletePage: Call<PageOf, None, None> = { method: 'DELETE', path: api.page };
export const listPageFiles: Call<Slug, None, ApiList<ApiPageFile>> = { method: 'GET', path: api.files };

export const listSnapshots: Call<PageOf, None, ApiList<ApiSnapshotHead>> = { method: 'GET', path: api.snapshots };
export const readSnapshot: Call<SnapshotOf, None, ApiSnapshot> = { method: 'GET', path: api.snapshot };
export const restoreSnapshot: Call<SnapshotOf, None, ApiPage> = { method: 'POST', path: api.restore };
export const readSnapshotOfPage: Call<SnapshotOfPage, None, ApiSnapshot> = { method: 'GET', path: api.snapshotOfPage };
export const restoreSnapshotOfPage: Call<SnapshotOfPage, None, ApiPage> = { method: 'POST', path: api.restoreOfPage };

/** The body is the file itself. */
export const addImage: Call<Slug, Blob | Uint8Array, ApiAddedImage> = { method: 'POST', path: api.images };
export const listImages: Call<Slug, None, ApiList<ApiImage>> = { method: 'GET', path: api.images };
export const deleteImage: Call<[slug: string, imageId: string], None, None> = { method: 'DELETE', path: api.image };

export const addComment: Call<Slug, unknown, ApiComment> = { method: 'POST', path: api.comments };
export const listComments: Call<Slug, None, ApiList<ApiComment>> = { method: 'GET', path: api.comments };
export const deleteComment: Call<[slug: string, commentId: string], None, None> = { method: 'DELETE', path: api.comment };
