import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import { engines } from '../support/engines.ts';
import { aNotebook, aPage, indexAll } from './contract/subject.ts';

const unapplied = `
  DROP INDEX notebooks_first_token;
  ALTER TABLE notebooks DROP COLUMN first_token_hash;
  DELETE FROM migrations WHERE number >= 20;`;

/** Makes the database what it was before these migrations. */
async function takeBack(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(unapplied);
    database.close();
    return;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(unapplied);
  await client.end();
}

async function queuedPages(url: string): Promise<string[]> {
  const query = 'SELECT page_id AS id FROM search_queue';
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    const rows = database.prepare(query).all() as { id: string }[];
    database.close();
    return rows.map(({ id }) => id);
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(query);
  await client.end();
  return rows.map(({ id }) => id);
}

describe.each(engines)('an index that was made before Arabic was folded, on $name', ({ createDatabase }) => {
  it('takes in the public pages with Arabic letters once more, and no others', async () => {
    const { url, remove } = await createDatabase();
    const before = createStore(url);
    await before.migrate();
    const add = async (visibility: 'public' | 'unlisted', markdown: string, title = 'Notes') => {
      const notebook = aNotebook({ visibility, title });
      const page = aPage(notebook.id, 0, { markdown });
      expect(await before.createNotebook(notebook, [page])).toBe('created');
      return page.id;
    };
    const arabic = await add('public', 'A school: مدرسة');
    const presented = await add('public', 'ﷺ');
    const titled = await add('public', 'Plain words', 'أحمد');
    await add('public', 'École, 学校, école, σχολείο, בית ספר, \u{1f331} [a-z] - *?');
    await add('unlisted', 'مدرسة');
    await indexAll(before);
    await before.close();
    expect(await queuedPages(url)).toEqual([]);
    await takeBack(url);

    const store = createStore(url);
    await store.migrate();
    expect((await queuedPages(url)).sort()).toEqual([arabic, presented, titled].sort());
    await indexAll(store);
    expect(await queuedPages(url)).toEqual([]);
    await store.close();
    remove();
  });
});

const postgres = engines.find(({ name }) => name === 'PostgreSQL')!;

it('readers of the older version go on while public text is read for the index, which takes long in a large database', async () => {
  const { url, remove } = await postgres.createDatabase();
  const before = createStore(url);
  await before.migrate();
  const notebook = aNotebook({ visibility: 'public' });
  expect(await before.createNotebook(notebook, [aPage(notebook.id, 0, { markdown: 'مدرسة' })])).toBe('created');
  await takeBack(url);
  const [holder, reader] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  await Promise.all([holder.connect(), reader.connect()]);
  // The migration comes to this page and waits.
  await holder.query('BEGIN; SELECT * FROM search_queue FOR UPDATE');
  const store = createStore(url);
  const migrated = store.migrate();
  const waiting = () =>
    reader.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO search_queue%'");
  await expect.poll(async () => (await waiting()).rowCount).toBe(1);
  await reader.query("SET lock_timeout = '200ms'");
  expect((await reader.query('SELECT id FROM notebooks')).rowCount).toBe(1);
  await holder.query('COMMIT');
  await migrated;
  await Promise.all([holder.end(), reader.end(), before.close(), store.close()]);
  remove();
});
