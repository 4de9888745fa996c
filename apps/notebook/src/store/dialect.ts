import { type RawBuilder, sql } from 'kysely';

/** An engine's abilities, and its own SQL where the engines differ. Statements ask for these, never which engine it is. */
export interface Dialect {
  /** The engine's migrations folder. */
  readonly migrations: string;
  /** Rows are locked one by one (`FOR UPDATE`). Without it, one writer holds the whole database and no row lock is needed. */
  readonly locksRows: boolean;
  /** A page is saved by one call of a database function (migration 0011): one round trip to the server. */
  readonly savesPageByFunction: boolean;
  /** The database has a clock apart from this process's, and all processes share it. */
  readonly hasClock: boolean;
  /** The key of finished pages. SQLite finds the rowid in the index of pages in order, and need not read the page's own row. */
  readonly finishedKey: 'pages.id' | 'pages.number';
  readonly false: RawBuilder<boolean>;
  /** Outside VALUES, PostgreSQL must be told the type of a placeholder. */
  typed<Result>(value: unknown, type: 'text' | 'bigint' | 'boolean' | 'bytea'): RawBuilder<Result>;
  /**
   * The strings of a JSON array, as a subquery: engines limit placeholders, and this way one fixed statement serves a list of any length.
   */
  listOf(json: string): RawBuilder<string>;
  /** The first `count` characters of a column. */
  firstChars(column: RawBuilder<string>, count: number): RawBuilder<string>;
  /** Moves a row of `search_queue` that is queued again to the end: the SQL after INSERT, and the SQL after its rows. */
  readonly requeue: { readonly or: RawBuilder<unknown>; readonly onConflict: RawBuilder<unknown> };
}

export const sqliteDialect: Dialect = {
  migrations: 'sqlite',
  locksRows: false,
  savesPageByFunction: false,
  hasClock: false,
  finishedKey: 'pages.number',
  false: sql<boolean>`0`,
  typed: <Result>(value: unknown) => sql<Result>`${value}`,
  listOf: json => sql<string>`(SELECT value FROM json_each(${json}))`,
  firstChars: (column, count) => sql<string>`substr(${column}, 1, ${sql.lit(count)})`,
  requeue: { or: sql`OR REPLACE`, onConflict: sql`` },
};

export const postgresDialect: Dialect = {
  migrations: 'postgres',
  locksRows: true,
  savesPageByFunction: true,
  hasClock: true,
  finishedKey: 'pages.id',
  false: sql<boolean>`false`,
  typed: <Result>(value: unknown, type: string) => sql<Result>`CAST(${value} AS ${sql.raw(type)})`,
  listOf: json => sql<string>`(SELECT json_array_elements_text(CAST(${json} AS json)))`,
  firstChars: (column, count) => sql<string>`left(${column}, ${sql.lit(count)})`,
  requeue: {
    or: sql``,
    onConflict: sql` ON CONFLICT (page_id) DO UPDATE
          SET number = nextval(pg_get_serial_sequence('search_queue', 'number')), tries = 0, not_before = 0`,
  },
};
