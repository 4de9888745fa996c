import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEditToken, hashEditToken } from '../../src/model/edit-token.ts';
import { createStore } from '../../src/store/open-store.ts';
import { type Database, engines } from '../support/engines.ts';
import { aNotebook, aPage } from './contract/subject.ts';
import { startChild } from './processes/child.ts';

/** Called at the top of a file: a process that saves is killed so many times on each engine. */
export function describeKilledSaves(kills: number): void {
  describe.each(engines)('a process killed in the middle of its saves, on $name', engine => {
    let database: Database;
    beforeAll(async () => {
      database = await engine.createDatabase();
    });
    afterAll(() => database.remove());

    it(`has kept every acknowledged one, ${kills} times over`, { timeout: 10_000 + kills * 8_000 }, async () => {
      const { slug, editToken } = await createSaved(database.url);
      let saves = 0;
      for (let kill = 0; kill < kills; kill++) {
        const saver = await startChild('saver.ts', [database.url, slug, editToken]);
        await saver.line(/ /);
        await sleep(Math.random() * 60);
        await saver.kill('SIGKILL');
        const acknowledged = readAcknowledged(saver.output());
        saves += saver.output().split('\n').length - 1;
        // Once more where the server was still ending the last transaction of the dead process between two of these reads.
        await vi.waitFor(() => expectKept(database.url, slug, acknowledged), { timeout: 5_000 });
      }
      expect(saves).toBeGreaterThan(kills);
      if (engine.name === 'SQLite') expect(checkFile(database.url)).toEqual([{ integrity_check: 'ok' }]);
    });
  });
}

/** A notebook of three pages that are saved side by side. */
export async function createSaved(url: string): Promise<{ slug: string; editToken: string }> {
  const store = createStore(url);
  await store.migrate();
  const editToken = createEditToken(randomBytes);
  const notebook = aNotebook({ editTokenHash: hashEditToken(editToken) });
  const pages = [0, 1, 2].map(position => aPage(notebook.id, position, { markdown: 'revision 1 ' }));
  expect(await store.createNotebook(notebook, pages)).toBe('created');
  await store.close();
  return { slug: notebook.slug, editToken };
}

/** The highest acknowledged revision of each page. A line that was cut by the kill does not count. */
function readAcknowledged(output: string): Map<string, number> {
  const lines = output.split('\n').slice(0, -1);
  return new Map(lines.map(line => line.split(' ') as [string, string]).map(([page, revision]) => [page, Number(revision)]));
}

export async function expectKept(url: string, slug: string, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const store = createStore(url);
  const notebook = await store.findNotebookBySlug(slug);
  const pages = await store.listPages(notebook!.id);
  expect(pages).toHaveLength(3);
  for (const { id, revision, markdown } of pages) {
    expect(revision).toBeGreaterThanOrEqual(acknowledged.get(id) ?? 1);
    expect(markdown.slice(0, 20)).toContain(`revision ${revision} `);
    const snapshots = (await store.listSnapshots(notebook!.id, id)).map(snapshot => snapshot.revision);
    expect(snapshots).toEqual(Array.from({ length: Math.min(10, revision - 1) }, (_, at) => revision - 1 - at));
  }
  // Every save counted the notebook's version once: no half of a save is there.
  expect(notebook!.version).toBe(1 + pages.reduce((sum, { revision }) => sum + revision - 1, 0));
  await store.close();
}

function checkFile(url: string) {
  const file = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
  const result = file.prepare('PRAGMA integrity_check').all();
  file.close();
  return result.map(row => ({ ...row }));
}
