import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createEditToken, hashEditToken } from '../../src/model/edit-token.ts';
import { Owner } from '../../src/model/rights.ts';
import { createStore } from '../../src/store/open-store.ts';
import { sqlite } from '../support/engines.ts';
import { aNotebook, aPage, indexAll, noon } from './contract/subject.ts';
import { searchFileOf } from './open-subject.ts';
import { startChild } from './processes/child.ts';

/** A process that indexes is killed so many times: after each, the index fits the database again. */
export async function killIndexers(kills: number): Promise<void> {
  const database = await sqlite.createDatabase();
  const store = createStore(database.url);
  await store.migrate();
  const editToken = createEditToken(size => crypto.getRandomValues(Buffer.alloc(size)));
  const notebook = aNotebook({ visibility: 'public', editTokenHash: hashEditToken(editToken) });
  const pages = Array.from({ length: 6 }, (_, at) => aPage(notebook.id, at));
  await store.createNotebook(notebook, pages);
  const owner = Owner.check(notebook, editToken)!;
  for (let kill = 0; kill < kills; kill++) {
    const indexer = await startChild('indexer.ts', [database.url, notebook.slug, editToken]);
    await indexer.line(/^indexing$/);
    await sleep(Math.random() * 400);
    await indexer.kill('SIGKILL');
    await store.changeSettings(owner, { visibility: 'public' }, noon);
    await indexAll(store);
    // What each page says now is found, and nothing that it said before.
    const index = new DatabaseSync(searchFileOf(database.url.slice('sqlite:'.length)), { timeout: 10_000 });
    const kept = index.prepare('SELECT page_id AS id, text FROM search_pages').all() as { id: string; text: string }[];
    const texts = await store.listPages(notebook.id);
    expect(kept.map(({ id, text }) => [id, text.trim().split(' ').at(-1)]).sort()).toEqual(
      texts.map(({ id, markdown }) => [id, markdown.trim().toLowerCase().split(/\s+/).at(-1)]).sort(),
    );
    for (const table of ['search_text', 'search_short']) {
      index.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`);
    }
    expect({ ...index.prepare('PRAGMA integrity_check').get() }).toEqual({ integrity_check: 'ok' });
    index.close();
  }
  await store.close();
  database.remove();
}
