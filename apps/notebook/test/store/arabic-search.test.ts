import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { findMigrationsFolder } from '../../src/store/migrate.ts';
import { createStore } from '../../src/store/open-store.ts';
import { engines } from '../support/engines.ts';
import { aNotebook, aPage, indexAll } from './contract/subject.ts';

/** The migrations before the one that is tested. */
function olderMigrations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-before-arabic-'));
  for (const kind of ['sqlite', 'postgres']) {
    const all = join(findMigrationsFolder(), kind);
    mkdirSync(join(folder, kind));
    for (const file of readdirSync(all).filter(name => name < '0021')) cpSync(join(all, file), join(folder, kind, file));
  }
  return folder;
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
    const migrationsFolder = olderMigrations();
    const before = createStore(url, { migrationsFolder });
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

    const store = createStore(url);
    await store.migrate();
    expect((await queuedPages(url)).sort()).toEqual([arabic, presented, titled].sort());
    await indexAll(store);
    expect(await queuedPages(url)).toEqual([]);
    await store.close();
    rmSync(migrationsFolder, { recursive: true });
    remove();
  });
});
