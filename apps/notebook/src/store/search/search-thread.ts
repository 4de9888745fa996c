import { findOwnProgram } from '../../own-program.ts';
import type { Query } from '../statement.ts';
import { StoreThread } from '../store-thread.ts';
import type { PageToIndex } from './search-index.ts';
import type { FollowRequest } from './sqlite-search-writer.ts';

export type SearchRequest =
  | { readonly kind: 'grams'; readonly page: PageToIndex }
  | ({ readonly kind: 'follow' } & FollowRequest)
  | { readonly kind: 'read'; readonly query: Query };

export interface SearchWorkerData {
  /** The path of SQLite's database; unused on PostgreSQL. */
  readonly path: string;
  /** The thread's niceness where processors are short: 0 to 19, as in `nice`. */
  readonly niceness: number;
}

export type SearchThread = StoreThread<SearchRequest>;

/** A thread that works for the text index. */
export function createSearchThread(data: SearchWorkerData): SearchThread {
  return new StoreThread({ url: findOwnProgram('search-worker', import.meta.url), name: 'The text index thread', data });
}
