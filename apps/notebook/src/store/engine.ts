import type { Kysely } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Migration } from './migrate.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Query, Statement, Steps } from './statement.ts';
import type { Tables } from './tables.ts';

/** Every method that touches the database throws `DatabaseUnavailable` when the database is at fault and not the statement. */
export interface Engine {
  readonly dialect: Dialect;
  /** Compiles queries for this engine; runs none. */
  readonly builder: Kysely<Tables>;
  readonly search: SearchIndex;
  /** The path of an embedded database, which other threads can open too. */
  readonly file?: string;
  /** The rows of one reading statement, as committed. */
  read<Args, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /** Like `read`, but never waits behind slow statements: for notebooks' records. */
  readRecords<Args, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /** Only when the database is in this process. */
  readonly sync?: SyncQueries;
  /** One writing statement, durable when the promise resolves. */
  run<Args, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /** One transaction, durable when the promise resolves; rolled back when it throws. */
  write<Result>(work: () => Steps<Result>): Promise<Result>;
  migrate(migrations: readonly Migration[]): Promise<void>;
  /** Notes that another connection of this process was refused, for `requireDiskSpace`. Only for a database on our own disk. */
  noteFault?(error: unknown): void;
  /** @throws DatabaseUnavailable when a database on our own disk has almost no space left */
  requireDiskSpace(): Promise<void>;
  close(): Promise<void>;
}

/** Reads that cost less than a turn of the event loop. */
export interface SyncQueries {
  /**
   * A number that changes whenever anything in the database may have changed, whichever connection changed it: what was read under a number
   * is valid while the number stays the same.
   * @param shared reuse the answer of another caller in this turn of the event loop; docs/decisions/0027-views.md says who may
   */
  state(shared: boolean): number;
  /** The values of the first row, as committed, in the order of the statement's columns. */
  first<Args>(statement: Statement<Args, unknown>, args: Args): readonly unknown[] | undefined;
  /** Only for a file: keeps waits for the disk away from the event loop (`sqlite/sqlite-read-ahead.ts`). */
  readonly ahead?: {
    timed<Result>(read: () => Result): Result;
    readonly isOn: boolean;
    prefetch(query: Query): Promise<unknown>;
  };
}

export function* all<Args, Row>(statement: Statement<Args, Row>, args: Args): Steps<Row[]> {
  return (yield statement.with(args)) as Row[];
}

export function* first<Args, Row>(statement: Statement<Args, Row>, args: Args): Steps<Row | undefined> {
  return (yield* all(statement, args))[0];
}

export function* each(queries: Iterable<Query>): Steps<void> {
  for (const query of queries) yield query;
}

/** Runs statements of which the last updates a count in a locked row. That update cannot miss its row, so no row is an error. */
export function* counted(queries: Iterable<Query>): Steps<void> {
  let rows: unknown[] = [];
  for (const query of queries) rows = yield query;
  if (rows.length === 0) throw new Error('The bytes of a notebook were not counted.');
}
