import { type RawBuilder, sql } from 'kysely';

/** What an engine can do and how it says what the other says differently. Statements ask for these, and never which engine it is. */
export interface Dialect {
  /** The folder of its migrations. */
  readonly migrations: string;
  /** Rows are locked one by one (`FOR UPDATE`). Without it one writer has the whole database, and nothing needs a lock. */
  readonly locksRows: boolean;
  /** A page is saved by one call of the database's own function (migration 0011): one round trip to a server. */
  readonly savesPageByFunction: boolean;
  /** Its clock is another than this process's, and the one that all processes share. */
  readonly hasClock: boolean;
  /** What finished pages are kept under. SQLite finds the rowid in the index of pages in order, and need not read the page's own row. */
  readonly finishedKey: 'pages.id' | 'pages.number';
  readonly false: RawBuilder<boolean>;
  /** Outside of VALUES PostgreSQL must be told the type of a placeholder. */
  typed<Result>(value: unknown, type: 'text' | 'bigint' | 'boolean' | 'bytea'): RawBuilder<Result>;
  /** The texts of a JSON array, as a subquery: one fixed statement for a list of any length, where an engine bounds its placeholders. */
  listOf(json: string): RawBuilder<string>;
  /** The first characters of a text. */
  firstChars(column: RawBuilder<string>, count: number): RawBuilder<string>;
  /** A row of `search_queue` that is queued again goes to the end: what stands after INSERT, and what after its rows. */
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
