import { urls } from '../urls.ts';
import type { Call } from './call.ts';
import type { ApiNotebook, ApiPage, NotebookChange, PageChange } from './types.ts';

/** Separate from calls.ts, like first-calls.ts. */

export const changeNotebook: Call<[slug: string], NotebookChange, ApiNotebook> = { method: 'PATCH', path: urls.api.notebook };
export const changePage: Call<[slug: string, pageId: string], PageChange, ApiPage> = { method: 'PATCH', path: urls.api.page };
