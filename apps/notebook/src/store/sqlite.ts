import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Engine } from './engine.ts';
import { type AppliedMigration, type Migration, migrationStatements, planMigrations } from './migrate.ts';
import { sqliteSearch } from './sqlite-search.ts';
import { createWriteQueue, type Execute } from './sqlite-write-queue.ts';
import type { Query, Steps, Value } from './statement.ts';
import type { Tables } from './tables.ts';

/** How long a process waits for another one's transaction. SQLite's own wait: it stops this process, so transactions are short. */
const busyMillis = 10_000;

/**
 * The embedded engine: one file, one connection. A transaction runs without the event loop in between, so no other statement of
 * this process can come into it; other processes wait at BEGIN IMMEDIATE.
 */
export function openSqlite(path: string): Engine {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: busyMillis });
  switchToWal(database);
  // FULL: what a save answers as done has reached the disk, not only the operating system.
  database.exec('PRAGMA synchronous = FULL');
  // What is deleted is written over: a deleted text does not lie in the free space of the file until something else needs it.
  database.exec('PRAGMA secure_delete = ON');

  const builder = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: kysely => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const execute = createExecute(database);
  const queue = createWriteQueue(database, execute);
  return {
    name: 'sqlite',
    builder,
    search: sqliteSearch(builder),
    read: async <Row>(statement: { with(args: never): Query }, args: unknown) => execute(statement.with(args as never)) as Row[],
    run: <Row>(statement: { with(args: never): Query }, args: unknown) =>
      queue.add(function* (): Steps<Row[]> {
        return (yield statement.with(args as never)) as Row[];
      }),
    write: work => queue.add(work),
    migrate: async migrations => applyMigrations(database, migrations),
    async close() {
      await queue.end();
      database.close();
    },
  };
}

/** Of processes that open a new file at once one makes the switch; SQLite answers the others "locked" without its usual wait. */
function switchToWal(database: DatabaseSync): void {
  const busyCode = 5;
  for (const deadline = Date.now() + busyMillis; ; ) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busyCode || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function createExecute(database: DatabaseSync): Execute {
  const prepared = new Map<string, StatementSync>();
  return ({ sql, values, isFixed }) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    if (isFixed) prepared.set(sql, statement);
    // The driver's rows have no prototype; the rest of the program expects ordinary objects.
    return statement.all(...values.map(toSqlite)).map(row => ({ ...row }));
  };
}

function toSqlite(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'object' && value !== null) throw new Error('SQLite has no arrays.');
  return value;
}

function applyMigrations(database: DatabaseSync, migrations: readonly Migration[]): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(migrationStatements.createTable);
    const applied = database.prepare(migrationStatements.list).all() as unknown as AppliedMigration[];
    const insert = database.prepare('INSERT INTO migrations (number, name, sha256, applied_at) VALUES (?, ?, ?, ?)');
    for (const [at, { name, sql, sha256 }] of planMigrations(applied, migrations).entries()) {
      database.exec(sql);
      insert.run(applied.length + at + 1, name, sha256, new Date().toISOString());
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
