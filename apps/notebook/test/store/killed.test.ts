import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Owner } from '../../src/model/rights.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type RunningPostgres, startPostgres } from '../support/postgres.ts';
import { aChange, noon } from './contract/subject.ts';
import { createSaved, describeKilledSaves, expectKept } from './killed-saves.ts';

describeKilledSaves(30);

describe('PostgreSQL itself, killed in the middle of saves', () => {
  let postgres: RunningPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('has kept every acknowledged one, and the store finds back to it', { timeout: 60_000 }, async () => {
    const url = await postgres.createDatabase();
    const { slug, editToken } = await createSaved(url);
    const store = createStore(url);
    let stopped = false;
    const streams = await startSaving(store, slug, editToken, () => stopped);
    for (let crash = 0; crash < 3; crash++) {
      await sleep(200);
      const before = new Map(streams.acknowledged);
      const failedBefore = streams.failures();
      // A server that is back within a moment may have failed nobody: each stays down until a save has met it.
      await postgres.crash(() => expect.poll(streams.failures, { timeout: 20_000 }).toBeGreaterThan(failedBefore));
      // Saves go on over the same store, on new connections.
      await expect
        .poll(() => [...before].every(([page, at]) => streams.acknowledged.get(page)! > at), { timeout: 10_000 })
        .toBe(true);
    }
    stopped = true;
    await streams.ended;
    expect(streams.lost).toEqual([]);
    await expectKept(url, slug, streams.acknowledged);
    await store.close();
  });
});

async function startSaving(store: Store, slug: string, editToken: string, isStopped: () => boolean) {
  const notebook = (await store.findNotebookBySlug(slug))!;
  const owner = Owner.check(notebook, editToken)!;
  const pages = await store.listPageHeads(notebook.id);
  const acknowledged = new Map(pages.map(({ id, revision }) => [id, revision]));
  const lost: string[] = [];
  let failures = 0;

  async function save(pageId: string): Promise<void> {
    try {
      const { revision } = (await store.findPage(notebook.id, pageId))!;
      const expected = acknowledged.get(pageId)!;
      if (revision < expected) lost.push(`${expected} was acknowledged, ${revision} is there`);
      const result = await store.changePage(owner, pageId, aChange({ markdown: `revision ${revision + 1} ` }), noon);
      if (result.kind === 'changed') acknowledged.set(pageId, result.page.revision);
    } catch {
      failures += 1;
      await sleep(20);
    }
  }
  const streams = pages.map(async ({ id }) => {
    while (!isStopped()) await save(id);
  });
  return { acknowledged, lost, failures: () => failures, ended: Promise.all(streams) };
}
