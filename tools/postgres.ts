/** A separate real PostgreSQL, for tests that kill it. */
export { type RunningPostgres, startPostgres } from '../apps/notebook/test/support/postgres.ts';
