import { Client } from 'pg';
import { type AppliedMigration, type Migration, migrationStatements, planMigrations } from '../migrate.ts';

/** Any number will do, as long as every version of the program uses the same one. */
const migrationLock = 6_283_185;

/** On a connection of its own: a migration may take longer than the pool's statements may. */
export async function migratePostgres(connectionString: string, migrations: readonly Migration[]): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect().catch((cause: unknown) => {
    throw cannotReach(connectionString, cause);
  });
  try {
    await client.query('BEGIN');
    // Held until the transaction ends: processes that start together wait here, and the later ones find the work done.
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await applyMissing(client, migrations);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function applyMissing(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(migrationStatements.createTable);
  const { rows: applied } = await client.query<AppliedMigration>(migrationStatements.list);
  for (const [at, { name, sql, sha256 }] of planMigrations(applied, migrations).entries()) {
    await client.query(sql);
    await client.query('INSERT INTO migrations (number, name, sha256, applied_at) VALUES ($1, $2, $3, $4)', [
      applied.length + at + 1,
      name,
      sha256,
      new Date().toISOString(),
    ]);
  }
}

/** For the operator: where it was tried, without the user and the password. */
function cannotReach(connectionString: string, cause: unknown): Error {
  const url = URL.parse(connectionString);
  const place = url
    ? `${url.hostname || url.searchParams.get('host')}${url.port && `:${url.port}`}${url.pathname}`
    : 'DATABASE_URL';
  // Several addresses of one host fail together, without words of their own.
  const { message, errors } = cause as AggregateError;
  const why = message || errors?.map(({ message }: Error) => message).join('; ');
  return new Error(`PostgreSQL at ${place} cannot be reached: ${why}.`, { cause });
}
