import { setTimeout } from 'node:timers/promises';
import { Client, type DatabaseError, type Pool } from 'pg';
import { type AppliedMigration, type Migration, migrationStatements, planMigrations } from '../migrate.ts';

/** Any number will do, as long as every version of the program uses the same one. */
const migrationLock = 6_283_185;

/**
 * How long a migration waits for a table that is in use. The wait is short, because everybody who comes later waits behind it, readers
 * included. Then the migration steps back, lets them through and tries again.
 */
export interface LockRetries {
  readonly lockMillis: number;
  readonly pauseMillis: number;
  readonly tries: number;
}

const usualRetries: LockRetries = { lockMillis: 2_000, pauseMillis: 3_000, tries: 60 };

/**
 * Whether every migration was applied before: one question over a connection that the pool keeps, so that a usual start opens no other and takes
 * no lock. A database without our table, or one that cannot be reached, counts as false: `migratePostgres` finds out why.
 * @throws when the program does not understand the database
 */
export async function isMigrated(pool: Pick<Pool, 'query'>, migrations: readonly Migration[]): Promise<boolean> {
  const applied = await pool.query<AppliedMigration>(migrationStatements.list).catch(() => undefined);
  return applied !== undefined && planMigrations(applied.rows, migrations).length === 0;
}

/**
 * Uses its own connection: a migration may take longer than the pool allows a statement.
 * @throws when a table that it changes was in use at every try
 */
export async function migratePostgres(
  connectionString: string,
  migrations: readonly Migration[],
  { lockMillis, pauseMillis, tries } = usualRetries,
): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect().catch((cause: unknown) => {
    throw cannotReach(connectionString, cause);
  });
  try {
    for (let tried = 1; !(await applyAll(client, migrations, lockMillis, tried === tries)); tried++)
      await setTimeout(pauseMillis);
  } finally {
    await client.end();
  }
}

const lockNotAvailable = '55P03';

/** Applies all of them or none. @returns false when a table was in use, unless this was the last try */
async function applyAll(client: Client, migrations: readonly Migration[], lockMillis: number, isLast: boolean): Promise<boolean> {
  await client.query('BEGIN');
  try {
    // Held until the transaction ends: processes that start together wait here, and the later ones find the work done.
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await client.query("SELECT set_config('lock_timeout', $1, true)", [String(lockMillis)]);
    await applyMissing(client, migrations);
    await client.query('COMMIT');
    return true;
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {});
    if ((cause as DatabaseError).code !== lockNotAvailable) throw cause;
    if (isLast)
      throw new Error('A migration waits for a table that something else uses all the time. End that, and start again.', {
        cause,
      });
    return false;
  }
}

async function applyMissing(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(migrationStatements.createTable);
  const { rows: applied } = await client.query<AppliedMigration>(migrationStatements.list);
  for (const [at, { name, sql, sha256 }] of planMigrations(applied, migrations).entries()) {
    await client.query(sql).catch((cause: unknown) => {
      throw cannotApply(name, cause as DatabaseError);
    });
    await client.query('INSERT INTO migrations (number, name, sha256, applied_at) VALUES ($1, $2, $3, $4)', [
      applied.length + at + 1,
      name,
      sha256,
      new Date().toISOString(),
    ]);
  }
}

/** A table, an index, a column, a function or something else of this name is there. */
const duplicates = ['42P07', '42701', '42723', '42710'];

/** For the operator: which migration it was, and what helps. */
function cannotApply(name: string, cause: DatabaseError): Error {
  if (cause.code === lockNotAvailable) return cause;
  const hint = duplicates.includes(cause.code!)
    ? ' The database holds parts of a newer version. A dump must be restored into an empty database.'
    : '';
  return new Error(`Migration ${name} cannot be applied, and nothing was changed: ${cause.message}.${hint}`, { cause });
}

/** For the operator: the address that was tried, without user and password. */
function cannotReach(connectionString: string, cause: unknown): Error {
  const url = URL.parse(connectionString);
  const place = url
    ? `${url.hostname || url.searchParams.get('host')}${url.port && `:${url.port}`}${url.pathname}`
    : 'DATABASE_URL';
  // When several addresses of one host fail, the error that combines them has no message.
  const { message, errors } = cause as AggregateError;
  const why = message || errors?.map(({ message }: Error) => message).join('; ');
  return new Error(`PostgreSQL at ${place} cannot be reached: ${why}.`, { cause });
}
