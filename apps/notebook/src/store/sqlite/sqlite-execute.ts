import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Query, Value } from '../statement.ts';

export type Execute = (query: Query) => unknown[];

interface Prepared {
  readonly statement: StatementSync;
  /** The names of the columns. */
  readonly names: readonly string[];
}

/** Runs single statements on a connection; repeated ones stay prepared. */
export function executeOn(database: DatabaseSync): Execute {
  const prepare = preparing(database);
  return query => {
    const { statement, names } = prepare(query);
    return (statement.all(...query.values.map(toSqlite)) as unknown as unknown[][]).map(values => toRow(names, values));
  };
}

/** The first row's values, for statements that are given no booleans. */
export function firstRowOn(database: DatabaseSync): (query: Query) => readonly unknown[] | undefined {
  const prepare = preparing(database);
  return query => prepare(query).statement.get(...(query.values as SQLInputValue[])) as unknown as unknown[] | undefined;
}

/** The driver's own rows have no prototype: V8 makes a hidden class for each of them, which costs three times what reading a row does. */
function preparing(database: DatabaseSync): (query: Query) => Prepared {
  const prepared = new Map<string, Prepared>();
  return ({ sql, isFixed }) => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    const made = { statement, names: statement.columns().map(({ name }) => name) };
    if (isFixed) prepared.set(sql, made);
    return made;
  };
}

function toRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at++) row[names[at]!] = values[at];
  return row;
}

export function toSqlite(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'object' && value !== null) throw new Error('SQLite has no arrays.');
  return value;
}
