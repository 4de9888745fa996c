import { urls } from '../urls.ts';
import type { Call } from './call.ts';
import type { ApiCreated, ApiSlugState, NewNotebook } from './types.ts';

/** Separate from calls.ts, which includes them: small scripts of pages that only create a notebook load no other calls. */

const { api } = urls;

export const checkSlug: Call<[slug: string], undefined, ApiSlugState> = { method: 'GET', path: api.slug };
export const createNotebook: Call<[], NewNotebook, ApiCreated> = { method: 'POST', path: api.notebooks };
export const createFromText: Call<[], { readonly markdown: string }, ApiCreated> = { method: 'POST', path: api.quick };
