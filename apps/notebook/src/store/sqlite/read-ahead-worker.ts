import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { serveRequests } from '../serve-requests.ts';
import type { Query } from '../statement.ts';
import { toSqlite } from './sqlite-execute.ts';
import type { ReadAheadData } from './sqlite-read-ahead.ts';

// The program of a thread that reads rows only so that their pages are in the system's memory when they are read again.

const { path } = workerData as ReadAheadData;
const prepared = new Map<string, StatementSync>();
let database: DatabaseSync | undefined;

function prepare(sql: string): StatementSync {
  database ??= new DatabaseSync(path, { readOnly: true });
  const known = prepared.get(sql);
  if (known) return known;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  prepared.set(sql, statement);
  return statement;
}

/** @returns the milliseconds that it took */
function read(query: string): number {
  const started = performance.now();
  const { sql, values } = JSON.parse(query) as Query;
  prepare(sql).all(...values.map(toSqlite));
  return performance.now() - started;
}

serveRequests<string>({
  handle: read,
  close: () => database?.close(),
});
