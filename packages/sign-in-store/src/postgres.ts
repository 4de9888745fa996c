import { createHash } from 'node:crypto';
import { Pool, type PoolClient, types } from 'pg';
import type { Engine, Row, Statement, Steps } from './engine.ts';
import { StoreError } from './errors.ts';
import { schemaSteps } from './schema.ts';

const int8 = 20;
const setUpLock = 'sign-in-store: set-up';

/** For many processes on many machines. Locks are PostgreSQL advisory locks, held until the transaction ends. */
export async function openPostgres(connectionString: string, poolSize = 10): Promise<Engine> {
  const pool = new Pool({
    connectionString,
    max: poolSize,
    // Our bigints are milliseconds, far below 2^53.
    types: { getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)) },
    application_name: 'octavo-sign-in-store',
    keepAlive: true,
    // Waiting long for the store closes a sign-in gate as much as failing does, but without saying so.
    connectionTimeoutMillis: 3_000,
    lock_timeout: 5_000,
    statement_timeout: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    query_timeout: 8_000,
  });
  // A server that restarts ends the pool's connections. Without listeners, either event would end the process.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  const engine: Engine = {
    run: statement => guard(async () => (await repeatOnce(() => pool.query(prepared(statement)))).rows),
    transact: (lock, work) => guard(() => repeatOnce(() => transact(pool, lock, work))),
    close: () => pool.end(),
  };
  try {
    await engine.transact({ name: setUpLock }, migrate);
  } catch (error) {
    await pool.end().catch(() => {});
    throw error;
  }
  return engine;
}

async function transact<T>(pool: Pool, lock: { name: string; shared?: boolean }, work: () => Steps<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const take = lock.shared === true ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await client.query(`SELECT ${take}($1::bigint)`, [lockNumber(lock.name)]);
    const result = await follow(client, work());
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    // A connection that cannot roll back is discarded; otherwise the next caller would work inside this transaction.
    client.release(broken);
  }
}

async function follow<T>(client: PoolClient, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    const { rows } = await client.query(prepared(step.value));
    step = steps.next(rows as Row[]);
  }
  return step.value;
}

function* migrate(): Steps<void> {
  yield { sql: 'CREATE TABLE IF NOT EXISTS sign_in_schema (step INTEGER PRIMARY KEY)', values: [] };
  const [found] = yield { sql: 'SELECT count(*)::int AS done FROM sign_in_schema', values: [] };
  const done = Number(found?.done);
  if (done > schemaSteps.length) throw new StoreError('STORE_NEWER');
  for (const [at, step] of schemaSteps.entries()) {
    if (at < done) continue;
    for (const text of step) yield { sql: text, values: [] };
    yield { sql: 'INSERT INTO sign_in_schema (step) VALUES (?)', values: [at + 1] };
  }
}

const names = new Map<string, { name: string; text: string }>();

/** Turns `?` into `$1`, `$2` …. Statements are few and fixed, so each is prepared once per connection. */
function prepared({ sql, values }: Statement): { name?: string; text: string; values: (string | number | null)[] } {
  let known = names.get(sql);
  if (known === undefined) {
    let at = 0;
    const text = sql.replace(/\?/g, () => `$${++at}`);
    known = { name: `s${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`, text };
    names.set(sql, known);
  }
  return { ...(/^CREATE /.test(sql) ? {} : { name: known.name }), text: known.text, values: [...values] };
}

function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

const code = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

/** Repeats the work once after a failure that the server itself is certain to have rolled back: serialization, deadlock. */
async function repeatOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!['40001', '40P01'].includes(code(error))) throw error;
    return work();
  }
}

/** Connection refused, reset or timed out, server starting or shutting down, disk full: all are outages to the caller. */
async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError || !(error instanceof Error)) throw error;
    // Classes 22, 23 and 42 are our own mistakes (bad value, broken constraint, wrong SQL); without a SQLSTATE it is the connection.
    if (/^(?:22|23|42)[0-9A-Z]{3}$/.test(code(error))) throw error;
    const detail = error.message.replace(/postgres(?:ql)?:\/\/\S+/g, 'postgres://…');
    throw new StoreError('STORE_UNAVAILABLE', detail, { cause: error });
  }
}
