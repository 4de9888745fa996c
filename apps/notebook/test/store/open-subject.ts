import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { createStore } from '../../src/store/open-store.ts';
import { foldForSearch, longGrams } from '../../src/store/search/search-grams.ts';
import type { Database, Engine } from '../support/engines.ts';
import { indexAll, type Subject } from './contract/subject.ts';

export interface OpenSubject extends Subject {
  readonly url: string;
  close(): Promise<void>;
}

/** A store on a fresh, migrated database, and a plain connection beside it. */
export async function openSubject(engine: Engine): Promise<OpenSubject> {
  const databases: Database[] = [];
  const fresh = async () => {
    const database = await engine.createDatabase();
    databases.push(database);
    return database.url;
  };
  const url = await fresh();
  const store = createStore(url);
  await store.migrate();
  await indexAll(store);
  const beside = engine.name === 'SQLite' ? besideSqlite(url) : besidePostgres(url);
  return {
    url,
    store,
    another: async () => createStore(url),
    async empty() {
      const emptyUrl = await fresh();
      return { store: createStore(emptyUrl), another: async () => createStore(emptyUrl) };
    },
    sql: beside.sql,
    search: word => beside.search(foldForSearch(word)),
    indexedTerms: beside.indexedTerms,
    async tables() {
      return (await beside.sql(beside.listTables)).map(({ name }) => String(name));
    },
    async close() {
      await store.close();
      await beside.close();
      for (const database of databases) database.remove();
    },
  };
}

interface Beside extends Pick<Subject, 'sql' | 'search' | 'indexedTerms'> {
  readonly listTables: string;
  close(): Promise<void>;
}

/** The file of the text index beside a database. */
export function searchFileOf(path: string): string {
  const prefix = `${basename(path)}-search-`;
  const [name, ...others] = readdirSync(dirname(path)).filter(name => name.startsWith(prefix) && !/-(?:wal|shm)$/.test(name));
  if (name === undefined || others.length > 0) throw new Error(`not one text index, but ${[name, ...others].join(', ')}`);
  return join(dirname(path), name);
}

function besideSqlite(url: string): Beside {
  const path = url.slice('sqlite:'.length);
  const database = new DatabaseSync(path, { timeout: 10_000 });
  database.prepare('ATTACH ? AS search').all(searchFileOf(path));
  database.exec(`CREATE VIRTUAL TABLE temp.long_terms USING fts5vocab (search, search_text, row);
    CREATE VIRTUAL TABLE temp.short_terms USING fts5vocab (search, search_short, row)`);
  const sql: Subject['sql'] = async (query, ...values) => {
    const statement = database.prepare(query);
    // The index's own tables hold numbers that a double cannot.
    statement.setReadBigInts(true);
    return statement
      .all(...values)
      .map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readable(value)])));
  };
  return {
    sql,
    listTables:
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' UNION SELECT name FROM search.sqlite_schema WHERE type = 'table'",
    async search(word) {
      const table = [...word].length < 3 ? 'search_short' : 'search_text';
      const query = `SELECT page_id FROM search_pages WHERE number IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`;
      return (await sql(query, `"${word}"`)).map(row => String(row.page_id));
    },
    async indexedTerms(terms) {
      const marks = terms.map(() => '?').join(', ');
      const query = ['long_terms', 'short_terms']
        .map(table => `SELECT term FROM ${table} WHERE term IN (${marks})`)
        .join(' UNION ');
      return (await sql(query, ...terms, ...terms)).map(({ term }) => String(term));
    },
    close: async () => database.close(),
  };
}

function readable(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;
}

function besidePostgres(url: string): Beside {
  const pool = new Pool({ connectionString: url, max: 1 });
  const rows = async (query: string, values: unknown[]) => (await pool.query<Record<string, unknown>>(query, values)).rows;
  return {
    listTables: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    async sql(query, ...values) {
      let at = 0;
      return rows(
        query.replace(/\?/g, () => `$${++at}`),
        values,
      );
    },
    async search(word) {
      const grams = [...word].length < 3 ? [word] : [...longGrams(word)];
      return (await rows('SELECT page_id FROM search_pages WHERE grams @> $1', [grams])).map(row => String(row.page_id));
    },
    async indexedTerms(terms) {
      const query = 'SELECT DISTINCT term FROM search_pages, unnest(grams) AS term WHERE term = ANY ($1)';
      return (await rows(query, [terms])).map(({ term }) => String(term));
    },
    close: () => pool.end(),
  };
}
