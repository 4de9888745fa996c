import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { findSqlitePath } from '../../apps/notebook/src/store/open-store.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The database that a world is written into, bypassing the program: nothing else has it open. */
export interface Target {
  readonly engine: 'sqlite' | 'postgres';
  /** In the SQL, `PAGE_KEY` stands for the column of `pages` by which finished pages refer to a page. */
  rows(sql: string, ...values: string[]): Promise<Row[]>;
  /** The columns of a table that a copy must fill. */
  columns(table: string): Promise<string[]>;
  /** Without checking foreign keys or waiting for the disk. */
  inBulk(work: () => Promise<void>): Promise<void>;
  bytes(): Promise<number>;
  /** Updates the planner's statistics, and closes. */
  close(): Promise<void>;
  /** Only closes. */
  release(): Promise<void>;
}

/** `sqlite:PATH`, `postgres://…`, or a folder for a new SQLite file. */
export function databaseUrlOf(place: string): string {
  return /^(?:sqlite|postgres|postgresql):/.test(place) ? place : `sqlite:${join(place, 'world.db')}`;
}

/** @throws when it contains anything: a world is never written into a database in use */
export async function requireNew(databaseUrl: string): Promise<void> {
  const path = findSqlitePath(databaseUrl);
  if (path !== undefined) {
    if (existsSync(path)) throw new Error(`${path} exists. A world is written into a new file only.`);
    mkdirSync(dirname(path), { recursive: true });
    return;
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT count(*) AS count FROM pg_tables WHERE schemaname = current_schema()`);
    if (Number(rows[0].count) > 0) throw new Error('The database has tables already. A world is written into an empty one only.');
  } finally {
    await client.end();
  }
}

export async function openTarget(databaseUrl: string): Promise<Target> {
  const path = findSqlitePath(databaseUrl);
  return path === undefined ? openPostgres(databaseUrl) : openSqlite(path);
}

function openSqlite(path: string): Target {
  const database = new DatabaseSync(path, { timeout: 10_000, enableForeignKeyConstraints: false });
  const rows = (sql: string, ...values: string[]) =>
    database.prepare(sql.replaceAll('PAGE_KEY', 'number')).all(...values) as Row[];
  return {
    engine: 'sqlite',
    rows: async (sql, ...values) => rows(sql, ...values),
    columns: async table => rows(`SELECT name FROM pragma_table_info(?)`, table).map(({ name }) => String(name)),
    async inBulk(work) {
      database.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN IMMEDIATE`);
      await work();
      database.exec('COMMIT');
    },
    bytes: async () => statSync(path).size,
    async close() {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize');
      database.close();
    },
    release: async () => database.close(),
  };
}

async function openPostgres(connectionString: string): Promise<Target> {
  const client = new Client({ connectionString });
  await client.connect();
  const rows = async (sql: string, ...values: string[]) =>
    (await client.query(sql.replaceAll('PAGE_KEY', 'id'), values)).rows as Row[];
  return {
    engine: 'postgres',
    rows,
    columns: async table =>
      (
        await rows(
          `SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND table_schema = current_schema()`,
          table,
        )
      ).map(row => String(row.column_name)),
    async inBulk(work) {
      await client.query('BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL session_replication_role = replica');
      await work();
      await client.query('COMMIT');
    },
    bytes: async () => Number((await rows('SELECT pg_database_size(current_database()) AS bytes'))[0]!.bytes),
    async close() {
      // What autovacuum does within minutes.
      await client.query('VACUUM ANALYZE');
      await client.end();
    },
    release: () => client.end(),
  };
}
