import { join } from 'node:path';
import { limits } from '../limits.ts';
import { TextsAtWork } from '../model/texts-at-work.ts';
import type { Engine } from './engine.ts';
import { findMigrationsFolder, readMigrations } from './migrate.ts';
import { openPostgres } from './postgres/postgres.ts';
import { createSqlStore } from './sql-store.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  /** Connections of one process to PostgreSQL. */
  readonly poolSize?: number;
  /** What the pages of one notebook may hold together. */
  readonly maxNotebookBytes?: number | undefined;
  /** Knows which texts ended the process twice: the index leaves them out. */
  readonly texts?: TextsAtWork;
  /** Holds `sqlite` and `postgres`; found beside the program when absent. */
  readonly migrationsFolder?: string;
}

const defaultPoolSize = 10;

/**
 * `sqlite:PATH` (its folder is made) or `postgres://…` (nothing is connected yet). The caller then calls `migrate`. A bad URL is an
 * Error that never repeats the URL, because it may carry a password.
 */
export function createStore(databaseUrl: string, options: StoreOptions = {}): Store {
  const folder = options.migrationsFolder ?? findMigrationsFolder();
  const engine = openEngine(databaseUrl, options.poolSize ?? defaultPoolSize);
  const { maxNotebookBytes = limits.maxNotebookBytes, texts = new TextsAtWork() } = options;
  return createSqlStore(engine, () => readMigrations(join(folder, engine.dialect.migrations)), { maxNotebookBytes }, texts);
}

function openEngine(databaseUrl: string, poolSize: number): Engine {
  if (databaseUrl.startsWith('sqlite:')) return openSqlite(readSqlitePath(databaseUrl));
  if (/^postgres(ql)?:/.test(databaseUrl)) return openPostgres(readPostgresUrl(databaseUrl), poolSize);
  throw new Error('The database URL must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME.');
}

/** The file of an embedded database; undefined for another engine. */
export function findSqlitePath(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith('sqlite:') ? readSqlitePath(databaseUrl) : undefined;
}

function readSqlitePath(databaseUrl: string): string {
  const path = databaseUrl.slice('sqlite:'.length);
  if (path === '' || path.startsWith('//')) {
    throw new Error('A database URL that begins with sqlite: must name a file, as in sqlite:data/octavo.db.');
  }
  return path;
}

function readPostgresUrl(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  // A Unix socket is named by a parameter: postgres:///name?host=/var/run/postgresql.
  if (!(url?.hostname || url?.searchParams.get('host')) || url.pathname.length < 2) {
    throw new Error(
      'A database URL that begins with postgres: must name a host and a database, as in postgres://user@host/name.',
    );
  }
  return databaseUrl;
}
