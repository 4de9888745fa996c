/** A real PostgreSQL of one's own, for tests that kill it. */
export { type RunningPostgres, startPostgres } from '../apps/notebook/test/support/postgres.ts';
