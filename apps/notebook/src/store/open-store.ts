import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { findMigrationsFolder, readMigrations } from './migrate.ts';
import { createSqlStore } from './sql-store.ts';
import { openSqlite } from './sqlite.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  /** Connections of one process to PostgreSQL. */
  readonly poolSize?: number;
  /** Holds `sqlite` and `postgres`; found beside the program when absent. */
  readonly migrationsFolder?: string;
}

/** `sqlite:PATH` (its folder is made) or `postgres://…`. Opens no connection to PostgreSQL yet; `migrate` is the caller's to call. */
export function createStore(databaseUrl: string, options: StoreOptions = {}): Store {
  const engine = openEngine(databaseUrl, options);
  const folder = options.migrationsFolder ?? findMigrationsFolder();
  return createSqlStore(engine, () => readMigrations(join(folder, engine.name)));
}

function openEngine(databaseUrl: string, _options: StoreOptions): Engine {
  if (databaseUrl.startsWith('sqlite:')) return openSqlite(readSqlitePath(databaseUrl));
  throw new Error('The database URL must be sqlite:PATH or postgres://user@host/name.');
}

function readSqlitePath(databaseUrl: string): string {
  const path = databaseUrl.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//'))
    throw new Error('The database URL sqlite: must name a file, as in sqlite:data/octavo.db.');
  return path;
}
