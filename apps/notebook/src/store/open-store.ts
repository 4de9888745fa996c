import { join } from 'node:path';
import { limits } from '../limits.ts';
import { readDatabaseUrl } from '../model/database-url.ts';
import { TextTracker } from '../model/text-tracker.ts';
import type { Engine } from './engine.ts';
import { findMigrationsFolder, readMigrations } from './migrate.ts';
import { openPostgres } from './postgres/postgres.ts';
import { createSqlStore } from './sql-store.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  /** PostgreSQL connections per process. */
  readonly poolSize?: number;
  /** The limit for all pages of one notebook together. */
  readonly maxNotebookBytes?: number | undefined;
  /** Knows which texts ended the process twice: they are left out of the index. */
  readonly texts?: TextTracker;
  /** The folder that holds `sqlite` and `postgres`; when absent, it is looked up from the program's location. */
  readonly migrationsFolder?: string;
}

const defaultPoolSize = 10;

/**
 * Opens `sqlite:PATH` (its folder is created) or `postgres://…` (without connecting yet). The caller then calls `migrate`. The error for a
 * bad URL never repeats the URL, because it may contain a password.
 */
export function createStore(databaseUrl: string, options: StoreOptions = {}): Store {
  const folder = options.migrationsFolder ?? findMigrationsFolder();
  const engine = openEngine(databaseUrl, options.poolSize ?? defaultPoolSize);
  const { maxNotebookBytes = limits.maxNotebookBytes, texts = new TextTracker() } = options;
  return createSqlStore(engine, () => readMigrations(join(folder, engine.dialect.migrations)), { maxNotebookBytes }, texts);
}

function openEngine(databaseUrl: string, poolSize: number): Engine {
  const address = readDatabaseUrl(databaseUrl);
  return 'sqlitePath' in address ? openSqlite(address.sqlitePath) : openPostgres(address.postgresUrl, poolSize);
}

/** The file of an embedded database; undefined for another engine. */
export function findSqlitePath(databaseUrl: string): string | undefined {
  const address = readDatabaseUrl(databaseUrl);
  return 'sqlitePath' in address ? address.sqlitePath : undefined;
}
