import { urls } from '../urls.ts';
import type { Call } from './call.ts';
import type { ApiNotebook } from './types.ts';

/** Separate from calls.ts, like first-calls.ts. */

export const readOwnNotebook: Call<[], undefined, ApiNotebook> = { method: 'GET', path: urls.api.ownNotebook };
export const readNotebook: Call<[slug: string], undefined, ApiNotebook> = { method: 'GET', path: urls.api.notebook };
