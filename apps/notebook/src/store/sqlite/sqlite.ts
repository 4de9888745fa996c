import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { sqliteDialect } from '../dialect.ts';
import type { Engine } from '../engine.ts';
import { type AppliedMigration, type Migration, migrationStatements, planMigrations } from '../migrate.ts';
import { sqliteSearch } from '../search/sqlite-search.ts';
import type { Query, Steps } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { createDiskSpace } from './disk-space.ts';
import { makePrivateFile } from './private-file.ts';
import { watchChanges } from './sqlite-changes.ts';
import { Checkpoints, pagesBeforeOwnCheckpoint } from './sqlite-checkpoints.ts';
import { busyMillis, cannotOpen, isBusy, sqliteFault } from './sqlite-errors.ts';
import { type Execute, executeOn, firstRowOn } from './sqlite-execute.ts';
import { LogSync, openLog, type SyncedFile } from './sqlite-log-sync.ts';
import { ReadAhead } from './sqlite-read-ahead.ts';
import { createWriteQueue } from './sqlite-write-queue.ts';

/**
 * While a process starts, SQLite does the waiting. Once it answers requests, readers wait between tries with the event loop free: this long
 * at most, then the answer is 503.
 */
const timeoutMillis = 5_000;
const betweenTriesMillis = 5;

/**
 * The embedded engine: one file, one connection. A transaction runs within one turn of the event loop, so no other statement of this
 * process can come in between; other processes wait at BEGIN IMMEDIATE.
 */
export function openSqlite(path: string, openFileOfLog: () => SyncedFile = () => openLog(path)): Engine {
  const database = openFile(path);
  const builder = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: kysely => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const execute = executeOn(database);
  const room = createDiskSpace(path === ':memory:' ? undefined : dirname(path));
  const first = firstRowOn(database);
  const changes = watchChanges(database);
  const checkpoints = path === ':memory:' ? undefined : new Checkpoints(path);
  const writing: Execute = query => {
    checkpoints?.count(query);
    return execute(query);
  };
  const ahead = path === ':memory:' ? undefined : new ReadAhead(path);
  const log = path === ':memory:' ? undefined : new LogSync(openFileOfLog, endProcess);
  const queue = createWriteQueue(database, writing, {
    onFault: room.noteFault,
    onCommit: changes.noteOwn,
    ...(log && { sync: () => log.sync() }),
  });
  const search = sqliteSearch(builder, database, path);
  const read: Engine['read'] = async <Row>(statement: { with(args: never): Query }, args: unknown) =>
    (await waitWhileBusy(() => execute(statement.with(args as never)))) as Row[];
  return {
    dialect: sqliteDialect,
    builder,
    search,
    ...(path !== ':memory:' && { file: path }),
    read,
    readRecords: read,
    sync: {
      state: changes.state,
      first: (statement: { with(args: never): Query }, args: unknown) => first(statement.with(args as never)),
      ...(ahead && { ahead }),
    },
    run: <Row>(statement: { with(args: never): Query }, args: unknown) =>
      queue.add(function* (): Steps<Row[]> {
        return (yield statement.with(args as never)) as Row[];
      }),
    write: work => queue.add(work),
    async migrate(migrations) {
      database.exec(`PRAGMA busy_timeout = ${busyMillis}`);
      try {
        applyMigrations(database, migrations);
      } catch (error) {
        throw sqliteFault(error) === error ? error : cannotOpen(path, error);
      }
      database.exec('PRAGMA busy_timeout = 0');
    },
    noteFault: room.noteFault,
    requireDiskSpace: room.require,
    async close() {
      await Promise.all([search.close(), ahead?.close()]);
      await queue.end();
      await checkpoints?.close();
      await log?.close();
      database.close();
    },
  };
}

/**
 * The system may have dropped the data that it failed to write, and a second sync reports success. Only a new process reads what the disk
 * has, so this one ends, as PostgreSQL does. No client was told that the lost changes were saved. In one of our threads, only the thread
 * ends; the code that started it passes the error on.
 */
function endProcess(cause: unknown): void {
  setImmediate(() => {
    const message = 'The disk did not confirm a write to the database. Octavo exits so that it starts again from what is stored.';
    throw Object.assign(new Error(message, { cause }), { code: lostLog });
  });
}

const lostLog = 'LOST_LOG';

/** Called with the error that ended a thread with its own connection. */
export function endProcessOnLostLog(error: unknown): void {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (code === lostLog) endProcess(cause);
}

/** @throws with the path and the reason, for the operator */
function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') makePrivateFile(path);
    database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: busyMillis });
    switchToWal(database);
    // NORMAL: the file stays intact, and a commit does not wait for the disk; `LogSync` waits where that is asked for.
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA wal_autocheckpoint = ${pagesBeforeOwnCheckpoint}`);
    // Deleted data is overwritten: a deleted text does not stay in the file's free space until that is used again.
    database.exec('PRAGMA secure_delete = ON');
    return database;
  } catch (error) {
    database?.close();
    throw cannotOpen(path, error);
  }
}

/** In WAL mode a reader seldom waits: only for a recovery after a crash, or for the last process that closes the file. */
async function waitWhileBusy<Result>(read: () => Result): Promise<Result> {
  for (const deadline = performance.now() + timeoutMillis; ; ) {
    try {
      return read();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw sqliteFault(error);
    }
    await sleep(betweenTriesMillis);
  }
}

/** When several processes open a new file at once, one makes the switch; SQLite answers the others "locked" without its usual wait. */
function switchToWal(database: DatabaseSync): void {
  for (const deadline = Date.now() + busyMillis; ; ) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
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
