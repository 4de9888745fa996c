import type { Kysely } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Migration } from './migrate.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Query, Statement, Steps } from './statement.ts';
import type { Tables } from './tables.ts';

/** Every method that touches the database throws `DatabaseUnavailable` for whatever is the database's fault and not the statement's. */
export interface Engine {
  readonly dialect: Dialect;
  /** Compiles queries for this engine; it runs none itself. */
  readonly builder: Kysely<Tables>;
  readonly search: SearchIndex;
  /** The path of an embedded database, where other threads can open it too. */
  readonly file?: string;
  /** The rows of one reading statement, as committed. */
  read<Args, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /** As `read`, and never behind statements that take long: for what a view of a page in memory asks. */
  readForView<Args, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /** Only where the database lies in this very process. */
  readonly sync?: SyncQueries;
  /** One writing statement, durable when the promise resolves. */
  run<Args, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /** One transaction, durable when the promise resolves; rolled back when it throws. */
  write<Result>(work: () => Steps<Result>): Promise<Result>;
  migrate(migrations: readonly Migration[]): Promise<void>;
  /** Told what another connection of this process was refused: `checkRoom` remembers it. Only where that is ours to know. */
  noteFault?(error: unknown): void;
  /** @throws DatabaseUnavailable when the disk of the database, where it is one of ours, has next to no room left */
  checkRoom(): Promise<void>;
  close(): Promise<void>;
}

/** Reads that cost less than a turn of the event loop. */
export interface SyncQueries {
  /**
   * A number that is another one as soon as anything in the database may have changed, whoever changed it: what was read under the
   * same number still holds.
   * @param shared take the answer that another caller got in this turn of the event loop; see docs/decisions/0027-views.md for who may
   */
  state(shared: boolean): number;
  /** The first row, as committed; it has no prototype. */
  first<Args, Row>(statement: Statement<Args, Row>, args: Args): Row | undefined;
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

/** Statements that end with a count in a row that is locked: it cannot have been refused, and is not believed to be. */
export function* counted(queries: Iterable<Query>): Steps<void> {
  let rows: unknown[] = [];
  for (const query of queries) rows = yield query;
  if (rows.length === 0) throw new Error('The bytes of a notebook were not counted.');
}
