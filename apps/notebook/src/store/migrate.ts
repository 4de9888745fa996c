import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

export interface AppliedMigration {
  readonly name: string;
  readonly sha256: string;
}

/** Finds `apps/notebook/migrations` from the sources and from the built program, which lies elsewhere below `apps/notebook`. */
export function findMigrationsFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'migrations');
    if (existsSync(join(candidate, 'sqlite'))) return candidate;
    if (dirname(folder) === folder) throw new Error(`No folder "migrations" was found above ${from}.`);
  }
}

/** Ordered by number. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort();
  return Promise.all(names.map(name => readMigration(folder, name)));
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  // A checkout may have converted the line endings; the statements are the same.
  const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
  return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
}

/** The migrations still to apply. Refuses a database that this program does not understand before anything is written to it. */
export function planMigrations(applied: readonly AppliedMigration[], migrations: readonly Migration[]): readonly Migration[] {
  for (const [at, { name, sha256 }] of applied.entries()) {
    const known = migrations[at];
    if (!migrations.some(migration => migration.name === name)) {
      throw new Error(`The database is newer than this program: migration ${name} is not known here. Start the newer version.`);
    }
    if (known?.name !== name) throw new Error(`Migration ${known?.name} was never applied, but the later ${name} was.`);
    if (known.sha256 !== sha256) {
      throw new Error(`Migration ${name} was changed after it was applied to this database. Restore the released file.`);
    }
  }
  return migrations.slice(applied.length);
}

/** These statements are the same for both engines. */
export const migrationStatements = {
  createTable:
    'CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL UNIQUE, sha256 text NOT NULL, applied_at text NOT NULL)',
  list: 'SELECT name, sha256 FROM migrations ORDER BY number',
} as const;
