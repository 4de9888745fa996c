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
import { createDiskRoom } from './disk-room.ts';
import { makePrivateFile } from './private-file.ts';
import { watchChanges } from './sqlite-changes.ts';
import { Checkpoints, pagesBeforeOwnCheckpoint } from './sqlite-checkpoints.ts';
import { busyMillis, cannotOpen, isBusy, sqliteFault } from './sqlite-errors.ts';
import { type Execute, executeOn, firstRowOn } from './sqlite-execute.ts';
import { LogSync, openLog, type SyncedFile } from './sqlite-log-sync.ts';
import { createWriteQueue } from './sqlite-write-queue.ts';

/** At its start a process leaves waiting to SQLite. Once it answers requests, readers wait between two tries instead, with the event loop free: for this long, then it is a 503. */
const timeoutMillis = 5_000;
const betweenTriesMillis = 5;

/**
 * The embedded engine: one file, one connection. A transaction runs without the event loop in between, so no other statement of
 * this process can come into it; other processes wait at BEGIN IMMEDIATE.
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
  const room = createDiskRoom(path === ':memory:' ? undefined : dirname(path));
  const first = firstRowOn(database);
  const changes = watchChanges(database);
  const checkpoints = path === ':memory:' ? undefined : new Checkpoints(path);
  const writing: Execute = query => {
    checkpoints?.count(query);
    return execute(query);
  };
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
    readForView: read,
    sync: {
      state: changes.state,
      first: <Row>(statement: { with(args: never): Query }, args: unknown) =>
        first(statement.with(args as never)) as Row | undefined,
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
    checkRoom: room.require,
    async close() {
      await search.close();
      await queue.end();
      await checkpoints?.close();
      await log?.close();
      database.close();
    },
  };
}

/**
 * What the system failed to write it may have forgotten, and a second try answers that all is well. Only a new process reads what the disk
 * has, so this one ends, as PostgreSQL does; nobody was told that the lost changes were saved. A thread of ours ends by it alone: whoever
 * started it passes the error on.
 */
function endProcess(cause: unknown): void {
  setImmediate(() => {
    const message = 'The disk did not confirm a write to the database. Octavo exits so that it starts again from what is stored.';
    throw Object.assign(new Error(message, { cause }), { code: lostLog });
  });
}

const lostLog = 'LOST_LOG';

/** Told what a thread with a connection of its own ended by. */
export function passOnLostLog(error: unknown): void {
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
    // NORMAL: the file stays whole, and a commit does not wait for the disk. Who asked for it does, see `LogSync`.
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA wal_autocheckpoint = ${pagesBeforeOwnCheckpoint}`);
    // What is deleted is written over: a deleted text does not lie in the free space of the file until something else needs it.
    database.exec('PRAGMA secure_delete = ON');
    return database;
  } catch (error) {
    database?.close();
    throw cannotOpen(path, error);
  }
}

/** A reader is seldom kept waiting in WAL mode: by a recovery after a crash, by a process that closes the file as the last one. */
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

/** When processes open a new file at once, one makes the switch; SQLite answers the others "locked" without its usual wait. */
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
