import { urls } from '../urls.ts';
import type { Call } from './call.ts';
import type { ApiCreated, ApiSlugState, NewNotebook } from './types.ts';

/** Apart from calls.ts, which has them too: the small scripts of pages that only create a notebook bring no others. */

const { api } = urls;

export const checkSlug: Call<[slug: string], undefined, ApiSlugState> = { method: 'GET', path: api.slug };
export const createNotebook: Call<[], NewNotebook, ApiCreated> = { method: 'POST', path: api.notebooks };
export const createFromText: Call<[], { readonly markdown: string }, ApiCreated> = { method: 'POST', path: api.quick };
