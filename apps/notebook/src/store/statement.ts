import type { Compilable, CompiledQuery } from 'kysely';

export type Value = string | number | boolean | null | readonly string[] | Uint8Array;

/** A statement with its arguments filled in, ready for an engine. */
export interface Query {
  readonly sql: string;
  readonly values: readonly Value[];
  /** True for a statement that is used repeatedly and is worth preparing. */
  readonly isFixed: boolean;
}

/**
 * A transaction, written once for both engines: it yields statements and receives their rows. SQLite runs it within one turn of the event
 * loop; PostgreSQL awaits every statement. It may be run again from the start (after a deadlock), so it must change nothing but the
 * database.
 */
export type Steps<Result> = Generator<Query, Result, unknown[]>;

/**
 * A statement that Kysely compiles once, on its first use: building it for each call would cost ten times what running it does, and
 * compiling all of them at startup would take a twentieth of the startup time.
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

/** `build` receives a placeholder for every argument and uses it as the value; the compiled order tells where each argument belongs. */
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
 * The last check before the database. PostgreSQL cannot store a NUL, other layers would cut the text there, and a lone surrogate would
 * silently become another character. A value that cannot be stored unchanged is refused.
 */
function checkValue(value: unknown): Value {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new Error('The store refuses text with a NUL or a lone surrogate.');
  }
  if (value === undefined) throw new Error('A value for the database is missing.');
  return value as Value;
}
