import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Engine, Row, Statement, Steps } from './engine.ts';
import { StoreError } from './errors.ts';
import { schemaSteps } from './schema.ts';

/** How long a process waits for another one's transaction. Our transactions take well under a millisecond. */
const busyMillis = 5_000;

interface Prepared {
  readonly statement: StatementSync;
  /** The names of the columns. */
  readonly names: readonly string[];
}

/** The driver's own rows have no prototype: V8 makes a hidden class for each of them, which costs more than reading the row does. */
function prepare(database: DatabaseSync, sql: string): Prepared {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return { statement, names: statement.columns().map(({ name }) => name) };
}

function toRow(names: readonly string[], values: readonly Row[string][]): Row {
  const row: Record<string, Row[string]> = {};
  for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]!;
  return row;
}

/**
 * One file for the processes of one machine. A transaction runs without returning to the event loop; other processes wait at
 * BEGIN IMMEDIATE, so the lock names are not needed.
 */
export function openSqlite(path: string): Engine {
  const database = guard(() => {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    const opened = new DatabaseSync(path, { timeout: busyMillis });
    switchToWal(opened);
    // FULL: a granted claim has reached the disk; after a power cut it must not be granted again.
    opened.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    migrate(opened);
    return opened;
  });
  const prepared = new Map<string, Prepared>();
  const execute = ({ sql, values }: Statement): Row[] => {
    let known = prepared.get(sql);
    if (known === undefined) {
      known = prepare(database, sql);
      prepared.set(sql, known);
    }
    const { statement, names } = known;
    return (statement.all(...values) as unknown as Row[string][][]).map(row => toRow(names, row));
  };
  // `data_version` changes with other connections' commits. Those changes and our own writes are counted together: a number made
  // of both versions would lose its last digits after two million commits, and with them our own writes.
  const others = database.prepare('PRAGMA data_version');
  let changes = 0;
  let version = Number.NaN;
  let isOfThisTurnKnown = false;
  const lookAtOthers = (): void => {
    const found = guard(() => Number(others.get()?.data_version));
    if (found !== version) changes += 1;
    version = found;
    if (!isOfThisTurnKnown)
      setImmediate(() => {
        isOfThisTurnKnown = false;
      });
    isOfThisTurnKnown = true;
  };
  return {
    async run(statement) {
      if (!statement.sql.startsWith('SELECT')) changes += 1;
      return guard(() => execute(statement));
    },
    async transact(_lock, work) {
      changes += 1;
      return guard(() => transact(database, execute, work()));
    },
    stamp(isOfThisTurn = false) {
      if (!isOfThisTurn || !isOfThisTurnKnown) lookAtOthers();
      return changes;
    },
    async close() {
      prepared.clear();
      if (database.isOpen) database.close();
    },
  };
}

function transact<T>(database: DatabaseSync, execute: (statement: Statement) => Row[], steps: Steps<T>): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    let step = steps.next();
    while (!step.done) step = steps.next(execute(step.value));
    database.exec('COMMIT');
    return step.value;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** When several processes open a new file at once, one makes the switch; SQLite tells the others "locked" without its usual wait. */
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

function migrate(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec('CREATE TABLE IF NOT EXISTS sign_in_schema (step INTEGER PRIMARY KEY)');
    const { done } = database.prepare('SELECT count(*) AS done FROM sign_in_schema').get() as { done: number };
    if (done > schemaSteps.length) throw new StoreError('STORE_NEWER');
    for (const [at, step] of schemaSteps.entries()) {
      if (at < done) continue;
      for (const text of step) database.exec(text);
      database.prepare('INSERT INTO sign_in_schema (step) VALUES (?)').run(at + 1);
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Disk full, file locked for too long, file gone or not a database: all are outages to the caller. */
function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const { code } = error as { code?: string };
    const outage = code === 'ERR_SQLITE_ERROR' || code === 'ERR_INVALID_STATE' || /^E[A-Z]+$/.test(code ?? '');
    if (!outage) throw error;
    throw new StoreError('STORE_UNAVAILABLE', error instanceof Error ? error.message : undefined, { cause: error });
  }
}
