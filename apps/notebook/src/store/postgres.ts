import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { type ClientConfig, Pool, types } from 'pg';
import type { Engine } from './engine.ts';
import { isLostConnection, isSafeToRepeat, isUndone } from './postgres-errors.ts';
import { migratePostgres } from './postgres-migrate.ts';
import { postgresSearch } from './postgres-search.ts';
import { named, repeat, transact } from './postgres-transaction.ts';
import type { Query } from './statement.ts';
import type { Tables } from './tables.ts';

/** Many processes on one database. Transactions are READ COMMITTED and begin with a lock on the notebook's row. */
export function openPostgres(connectionString: string, poolSize: number): Engine {
  const pool = createPool(connectionString, poolSize);
  const builder = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: kysely => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const execute = async <Row>(query: Query) => (await pool.query(named(query))).rows as Row[];
  return {
    name: 'postgres',
    builder,
    search: postgresSearch(builder),
    read: (statement, args) => repeat(() => execute(statement.with(args)), isLostConnection),
    run: (statement, args) => repeat(() => execute(statement.with(args)), isUndone),
    write: work => repeat(() => transact(pool, work), isSafeToRepeat),
    migrate: migrations => migratePostgres(connectionString, migrations),
    close: () => pool.end(),
  };
}

const int8 = 20;
// Our bigints are milliseconds and counts, far below 2^53.
const parsers: ClientConfig['types'] = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)),
};

function createPool(connectionString: string, poolSize: number): Pool {
  const pool = new Pool({
    connectionString,
    max: poolSize,
    types: parsers,
    application_name: 'octavo',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    // No statement of the store comes near these: a lock nobody gives back or a dead network must not hold requests for ever.
    lock_timeout: 20_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 30_000,
    query_timeout: 40_000,
  });
  // A server that restarts ends the pool's connections, and the pool makes new ones. Unheard, either event would end the process.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  return pool;
}
