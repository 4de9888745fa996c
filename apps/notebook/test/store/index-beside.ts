import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { type OpenSubject, searchFileOf } from './open-subject.ts';

// What goes on beside a store in its index.

const isSqlite = ({ url }: OpenSubject) => url.startsWith('sqlite:');
const indexOf = ({ url }: OpenSubject) => new DatabaseSync(searchFileOf(url.slice('sqlite:'.length)), { timeout: 10_000 });

/** The index refuses pages with this word until the answer is called. */
export async function refuseInIndex(subject: OpenSubject, word: string): Promise<() => Promise<void>> {
  if (isSqlite(subject)) {
    const exec = (sql: string) => {
      const index = indexOf(subject);
      index.exec(sql);
      index.close();
    };
    exec(`CREATE TRIGGER refuse BEFORE INSERT ON search_pages WHEN instr(new.text, '${word}') > 0
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    return async () => exec('DROP TRIGGER refuse');
  }
  await subject.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused'; END $$`);
  await subject.sql(`CREATE TRIGGER refuse BEFORE INSERT ON search_pages FOR EACH ROW
    WHEN (NEW.grams @> '{${word.slice(0, 3)},${word.slice(1, 4)}}') EXECUTE FUNCTION refuse()`);
  return async () => void (await subject.sql('DROP TRIGGER refuse ON search_pages'));
}

/** As a process holds them while it indexes these pages: on SQLite it holds the whole index. */
export async function holdIndexRow(subject: OpenSubject, pageIds: readonly string[]): Promise<() => Promise<void>> {
  if (isSqlite(subject)) {
    const index = indexOf(subject);
    index.exec('BEGIN IMMEDIATE');
    return async () => index.close();
  }
  const client = new Client({ connectionString: subject.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM search_pages WHERE page_id = ANY ($1) FOR UPDATE', [pageIds]);
  return () => client.end();
}
