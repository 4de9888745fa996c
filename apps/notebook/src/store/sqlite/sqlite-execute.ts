import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Query, Value } from '../statement.ts';

export type Execute = (query: Query) => unknown[];

/** Runs single statements on a connection; repeated ones stay prepared. */
export function executeOn(database: DatabaseSync): Execute {
  const prepared = new Map<string, StatementSync>();
  return ({ sql, values, isFixed }) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    if (isFixed) prepared.set(sql, statement);
    // The driver's rows have no prototype; the rest of the program expects ordinary objects.
    return statement.all(...values.map(toSqlite)).map(row => ({ ...row }));
  };
}

/** The first row of repeated statements, as the driver makes it: without a prototype. */
export function firstRowOn(database: DatabaseSync): (query: Query) => unknown {
  const prepared = new Map<string, StatementSync>();
  return ({ sql, values }) => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement.get(...(values as SQLInputValue[]));
  };
}

function toSqlite(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'object' && value !== null) throw new Error('SQLite has no arrays.');
  return value;
}
