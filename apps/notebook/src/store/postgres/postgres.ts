import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { Client, type ClientBase, type ClientConfig, Pool, type PoolConfig, types } from 'pg';
import { postgresDialect } from '../dialect.ts';
import type { Engine } from '../engine.ts';
import { postgresSearch } from '../search/postgres-search.ts';
import type { Tables } from '../tables.ts';
import { arriveInTurns } from './arrival-turns.ts';
import { type Connections, connectInTurns } from './connection-turns.ts';
import { createBreaker } from './postgres-breaker.ts';
import { isBroken, isLostConnection, isSafeToResend, isSafeToRetry, postgresFault } from './postgres-errors.ts';
import { isMigrated, migratePostgres } from './postgres-migrate.ts';
import { retry, runQuery, runStatement, transact } from './postgres-transaction.ts';

/** Connections of a process that only read notebooks' records, so that access checks and views of pages in memory wait behind nothing slow. */
const recordConnections = 2;
/** A smaller pool, such as a command's, is shared by all. */
const leastToSplit = 4;

/** Many processes on one database. Transactions are READ COMMITTED and begin with a lock on the notebook's row. */
export function openPostgres(connectionString: string, poolSize: number): Engine {
  const isSplit = poolSize >= leastToSplit;
  const pool = createPool(connectionString, { max: isSplit ? poolSize - recordConnections : poolSize });
  const connections = connectInTurns(pool, pool.options.max, connectMillis);
  // Opening a connection uses the thread pool, which an attack may keep busy, so these stay open.
  const recordPool = isSplit ? createPool(connectionString, { max: recordConnections, idleTimeoutMillis: 0 }) : pool;
  const builder = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: kysely => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const breaker = createBreaker(() => probe(connectionString), { suspectAfterMs: 2_000, betweenProbesMs: 500 });
  const guarded = async <Result>(work: () => Promise<Result>, kind: 'read' | 'statement' | 'transaction'): Promise<Result> => {
    try {
      return await breaker.run(work, kind !== 'read');
    } catch (error) {
      // The server rolls back a transaction that broke before its COMMIT; one that broke during COMMIT throws `UncertainCommit`.
      throw postgresFault(error, kind === 'statement');
    }
  };
  const readFrom =
    (from: Connections): Engine['read'] =>
    (statement, args) =>
      guarded(() => retry(() => runQuery(from, statement.with(args)), isLostConnection), 'read');
  const read = readFrom(connections);
  // Few statements at a time, each for many clients (`readViews`).
  const readFromRecords = isSplit ? readFrom(recordPool) : read;
  let isOpen = !isSplit;
  const write: Engine['write'] = work => guarded(() => retry(() => transact(connections, work), isSafeToRetry), 'transaction');
  const search = postgresSearch(builder, { read, write });
  return {
    dialect: postgresDialect,
    builder,
    search,
    read,
    readRecords(statement, args) {
      if (!isOpen) {
        isOpen = true;
        openAll(recordPool);
      }
      return readFromRecords(statement, args);
    },
    run: (statement, args) =>
      guarded(() => retry(() => runStatement(connections, statement.with(args)), isSafeToResend), 'statement'),
    write,
    async migrate(migrations) {
      if (!(await isMigrated(pool, migrations))) await migratePostgres(connectionString, migrations);
    },
    // The server's disk is not ours to check.
    requireDiskSpace: async () => {},
    async close() {
      await search.close();
      breaker.close();
      await Promise.all([...new Set([pool, recordPool])].map(each => each.end()));
    },
  };
}

/** @throws when the server does not answer; a server that refuses has answered */
async function probe(connectionString: string): Promise<void> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
    application_name: 'octavo',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } catch (error) {
    if (isBroken(error)) throw error;
  } finally {
    // Not awaited: a silent server would not answer this either.
    client.end().catch(() => {});
  }
}

const int8 = 20;
// Our bigints are milliseconds and counts, far below 2^53.
const parsers: ClientConfig['types'] = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)),
};

/**
 * Opens all connections at once: a request that finds all of them busy waits for a new one to open, even when another becomes free first.
 */
function openAll(pool: Pool): void {
  for (let count = 0; count < pool.options.max; count++) {
    pool.connect().then(
      client => client.release(),
      // The request that needs the connection tries again and gets the error.
      () => {},
    );
  }
}

/** The limit for opening a connection, and for waiting for one. */
const connectMillis = 4_000;

function createPool(connectionString: string, options: Pick<PoolConfig, 'max' | 'idleTimeoutMillis'>): Pool {
  const pool = new Pool({
    connectionString,
    ...options,
    types: parsers,
    application_name: 'octavo',
    keepAlive: true,
    // No statement of the store comes near these limits: a lock that is not released or a dead network must not block requests forever. The
    // driver's own limits are longer, so that the server can still say what was wrong.
    connectionTimeoutMillis: connectMillis,
    lock_timeout: 5_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
    query_timeout: 12_000,
    onConnect: compressFast,
  });
  // A server that restarts ends the pool's connections, and the pool opens new ones. Without a listener, either event would end the
  // process.
  pool.on('error', () => {});
  pool.on('connect', client => {
    client.on('error', () => {});
    // The type of a pool's client leaves out that it is one.
    arriveInTurns((client as ClientBase & Pick<Client, 'connection'>).connection.stream);
  });
  return pool;
}

/**
 * Lets the server compress this connection's texts with LZ4 if it can: its own compression is an eighth of a save. Not a setting of the tables,
 * because a dump must also be restored on a server that was built without it.
 */
async function compressFast(client: ClientBase): Promise<void> {
  await client.query(`SELECT set_config(name, 'lz4', false) FROM pg_settings
    WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)`);
}
