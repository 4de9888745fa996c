import type { Compilable, CompiledQuery } from 'kysely';

export type Value = string | number | boolean | null | readonly string[] | Uint8Array;

/** One statement with its arguments in place, ready for an engine. */
export interface Query {
  readonly sql: string;
  readonly values: readonly Value[];
  /** Set for a statement that comes again and again: worth preparing. */
  readonly isFixed: boolean;
}

/**
 * A transaction, told once for both engines: it yields statements and is handed their rows. SQLite runs it in one go, without the
 * event loop in between; PostgreSQL awaits every statement. It may be run again from the start (after a deadlock), so it must
 * not change anything but the database.
 */
export type Steps<Result> = Generator<Query, Result, unknown[]>;

/**
 * A statement that Kysely compiles once, when it is first used: building it anew for each call would cost ten times what running it does, and
 * all of them at the start a twentieth of it.
 */
export interface Statement<Args, Row> {
  readonly sql: string;
  with(args: Args): Query;
  /** Only carries the row's type. */
  readonly row?: Row;
}

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** `build` receives a stand-in for every argument and uses it as the value; the compiled order tells where each belongs. */
export function statement<Args extends object, Row>(build: (given: Args) => Compilable<Row>): Statement<Args, Row> {
  const given = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Args;
  let compiled: CompiledQuery | undefined;
  const compile = () => {
    compiled ??= build(given).compile();
    return compiled;
  };
  return {
    get sql() {
      return compile().sql;
    },
    with: args => {
      const { sql, parameters } = compile();
      return { sql, values: parameters.map(parameter => checkValue(fill(parameter, args))), isFixed: true };
    },
  };
}

/** A statement whose shape depends on its arguments. */
export function query(built: Compilable): Query {
  const { sql, parameters } = built.compile();
  return { sql, values: parameters.map(checkValue), isFixed: false };
}

function fill(parameter: unknown, args: object): unknown {
  return parameter instanceof Placeholder ? (args as Record<string, unknown>)[parameter.name] : parameter;
}

/**
 * The last guard before the database. PostgreSQL cannot hold a NUL, other layers would cut the text there, and a lone surrogate
 * would silently become another character: what cannot be kept as it is, is not kept.
 */
function checkValue(value: unknown): Value {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new Error('The store refuses text with a NUL or a lone surrogate.');
  }
  if (value === undefined) throw new Error('A value for the database is missing.');
  return value as Value;
}
