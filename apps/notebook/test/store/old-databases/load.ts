import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Client } from 'pg';
import { findMigrationsFolder } from '../../../src/store/migrate.ts';
import { createStore } from '../../../src/store/open-store.ts';
import type { Database, Engine } from '../../support/engines.ts';

/** What an older version answered about one of its notebooks, and what opens it. */
export interface OldNotebook {
  readonly name: string;
  readonly slug: string;
  readonly editToken: string;
  /** The edit token before it was replaced. */
  readonly formerToken?: string;
  readonly password?: string;
  /** The cookie of a reader who unlocked or opened it. */
  readonly cookie?: string;
  /** With the edit token. */
  readonly own: { readonly pages: readonly { readonly id: string; readonly revision: number }[] };
  /** The status of the API's answer to a reader. */
  readonly reader: number;
  readonly markdown: string;
  /** What `cookie` was shown. */
  readonly byCookie?: string;
  readonly comments?: readonly object[];
  readonly snapshots?: readonly { readonly id: string; readonly pageId: string }[];
  readonly images?: readonly { readonly url: string }[];
  readonly files?: readonly { readonly pageId: string; readonly path: string; readonly patch: string }[];
}

/**
 * A small world that an older version's own service made through its API, with the rows as it stored them. The text index and caches that
 * are bound to a build are left out; a sentence was added to its renderings, so that they are recognized.
 */
export interface OldDatabase {
  /** How many migrations that version had. */
  readonly migrations: number;
  /** When it was last used. */
  readonly at: string;
  readonly notebooks: readonly OldNotebook[];
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, SQLInputValue>>[]>>;
}

export function readOldDatabase(name: string): OldDatabase {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.generated.json`), 'utf8')) as OldDatabase;
}

/** A database as that version left it: its migrations, then its rows. */
export async function createOldDatabase(engine: Engine, { migrations, tables }: OldDatabase): Promise<Database> {
  const database = await engine.createDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'octavo-old-migrations-'));
  for (const kind of ['sqlite', 'postgres']) {
    const all = join(findMigrationsFolder(), kind);
    mkdirSync(join(folder, kind));
    for (const file of readdirSync(all).sort().slice(0, migrations)) cpSync(join(all, file), join(folder, kind, file));
  }
  const store = createStore(database.url, { migrationsFolder: folder });
  await store.migrate();
  await store.close();
  rmSync(folder, { recursive: true });
  await (engine.name === 'SQLite' ? fillSqlite : fillPostgres)(database.url, tables);
  return database;
}

type Fill = (url: string, tables: OldDatabase['tables']) => Promise<void>;

const fillSqlite: Fill = async (url, tables) => {
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  for (const [table, rows] of Object.entries(tables))
    for (const row of rows) {
      const names = Object.keys(row);
      database
        .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
        .run(...Object.values(row));
    }
  database.close();
};

const fillPostgres: Fill = async (url, tables) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const [table, rows] of Object.entries(tables))
    for (const { number: _rowid, ...row } of rows) {
      const names = Object.keys(row);
      await client.query(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
        Object.values(row),
      );
    }
  await client.end();
};
