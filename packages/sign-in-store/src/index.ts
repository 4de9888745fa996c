/**
 * Stores what a relying party must remember, in SQLite or PostgreSQL. Start with `openStore`.
 * @module @octavo/sign-in-store
 */

export { StoreError, type StoreErrorCode, storeErrorCatalogue } from './errors.ts';
export { defaultLimits, type StoreLimits } from './limits.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export type {
  EndedSession,
  Logout,
  NewRecord,
  NewSession,
  PendingEntry,
  PurgeResult,
  RecordStore,
  ReplayStore,
  SessionOwner,
  SignInStore,
  StoredRecord,
  StoredSession,
} from './store.ts';
