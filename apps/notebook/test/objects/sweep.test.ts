import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isObjectKey, objectKey } from '../../src/model/image.ts';
import { createMemoryStore, type MemoryStore } from '../../src/objects/memory.ts';
import { describeSweep, type SweepOptions, sweepOrphanImages } from '../../src/operations/sweep-orphan-images.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { day, make, newId } from '../store/contract/subject.ts';
import { type Database, engines } from '../support/engines.ts';

const headers = { contentType: 'image/webp', cacheControl: 'public, max-age=31536000, immutable' };
const keyIn = (notebookId: string) => objectKey(notebookId, newId(), 'webp');

describe.each(engines)('the sweep of orphan images on $name', engine => {
  let database: Database;
  let store: Store;
  let objects: MemoryStore;
  let clock: { now: number };
  beforeEach(async () => {
    database = await engine.createDatabase();
    store = createStore(database.url);
    await store.migrate();
    clock = { now: Date.parse('2026-03-01T03:45:00Z') };
    objects = createMemoryStore({ now: () => clock.now });
  });
  afterEach(async () => {
    await store.close();
    database.remove();
  });

  const partsOf = () => ({ store, objects, now: () => clock.now });
  const sweep = (options?: SweepOptions) => sweepOrphanImages(partsOf(), options);
  const put = async (...keys: string[]) => {
    for (const key of keys) await objects.put(key, Buffer.from('bytes'), headers);
    return keys;
  };
  const there = (keys: readonly string[]) => keys.filter(key => objects.find(key) !== undefined);
  const some = (count: number, makeKey: () => string) => put(...Array.from({ length: count }, makeKey));
  /** Objects of a living notebook, enough of them that no half is gone. */
  async function livingObjects(count: number) {
    const { notebook } = await make(store);
    return some(count, () => keyIn(notebook.id));
  }

  it('deletes what has no notebook; leaves what has one, what is younger than a day, and what is not ours', async () => {
    const living = await livingObjects(3);
    const orphans = await some(2, () => keyIn(newId()));
    const foreign = await put('backup.tar', 'logs/2026.txt', `${newId()}/cover.webp`, `${newId()}/${newId()}.svg`);
    clock.now += day - 1;
    const young = await some(2, () => keyIn(newId()));
    clock.now += 1;
    const result = await sweep();
    expect(result.kind).toBe('swept');
    expect(result.counts).toEqual({ ours: 7, living: 3, young: 2, orphans: 2, orphanBytes: 10, foreign: 4 });
    expect(there(orphans)).toEqual([]);
    for (const kept of [living, young, foreign]) expect(there(kept)).toEqual(kept);
    expect(describeSweep(result)).toBe(
      'Deleted 2 image objects without a notebook (10 bytes). Left 3 of notebooks, 2 younger than a day, 4 under keys that are not ours.',
    );
  });

  it('leaves an object younger than a day to the millisecond, and one whose store runs ahead of our clock', async () => {
    await livingObjects(4);
    const orphan = await some(1, () => keyIn(newId()));
    clock.now += day - 1;
    expect((await sweep()).counts).toMatchObject({ young: 1, orphans: 0 });
    clock.now -= 3 * day;
    expect((await sweep()).counts).toMatchObject({ young: 1, orphans: 0 });
    clock.now += 3 * day + 1;
    expect((await sweep()).counts).toMatchObject({ young: 0, orphans: 1 });
    expect(there(orphan)).toEqual([]);
  });

  it('leaves an object of a living notebook that has no record of it', async () => {
    const { notebook } = await make(store, { expiresAt: clock.now - 2 * day });
    const keys = await some(3, () => keyIn(notebook.id));
    expect(await store.listImages(notebook.id)).toEqual([]);
    clock.now += 2 * day;
    expect((await sweep({ force: true })).counts).toMatchObject({ living: 3, orphans: 0 });
    expect(there(keys)).toEqual(keys);
  });

  it('is fine with an empty store, even beside an empty database', async () => {
    expect(await sweep()).toMatchObject({ kind: 'swept', counts: { ours: 0 } });
    await make(store);
    expect(await sweep()).toMatchObject({ kind: 'swept', counts: { ours: 0 } });
  });

  it('refuses when the database has no notebooks, unless forced', async () => {
    const orphans = await some(1, () => keyIn(newId()));
    clock.now += day;
    const young = await some(5, () => keyIn(newId()));
    const refused = await sweep();
    expect(refused).toMatchObject({
      kind: 'refused',
      why: 'the database has no notebooks at all',
      counts: { orphans: 1, young: 5 },
    });
    expect(there(orphans)).toEqual(orphans);
    expect(await sweep({ force: true })).toMatchObject({ kind: 'swept' });
    expect(there(orphans)).toEqual([]);
    expect(there(young)).toEqual(young);
  });

  it('refuses when more than half of the objects would go, unless forced; half of them may go', async () => {
    await livingObjects(4);
    const orphans = await some(5, () => keyIn(newId()));
    await put('a', 'b', 'c', 'd');
    clock.now += day;
    for (const options of [{}, { dryRun: true }]) {
      const refused = await sweep(options);
      expect(refused).toMatchObject({ kind: 'refused', why: '5 of 9 objects would go, more than half' });
      expect(describeSweep(refused)).toMatch(/^Refused: 5 of 9 .* octavo job sweep --force$/);
    }
    expect(there(orphans)).toEqual(orphans);
    await livingObjects(1);
    expect(await sweep({ dryRun: true })).toMatchObject({ kind: 'would-sweep', counts: { orphans: 5, ours: 10 } });
    expect(there(orphans)).toEqual(orphans);
    expect(await sweep()).toMatchObject({ kind: 'swept', counts: { orphans: 5, ours: 10 } });
    await some(9, () => keyIn(newId()));
    clock.now += day;
    expect((await sweep()).kind).toBe('refused');
    expect((await sweep({ force: true })).kind).toBe('swept');
    expect((await sweep()).counts).toMatchObject({ ours: 5, living: 5 });
  });

  it('stops before half is gone when notebooks go missing while it sweeps', async () => {
    const notebooks = [await make(store), await make(store), await make(store)];
    await some(1, () => keyIn(newId()));
    for (const { notebook } of notebooks) await some(1, () => keyIn(notebook.id));
    clock.now += day;
    let lists = 0;
    const goes = {
      ...objects,
      async list(after?: string) {
        // After it was counted.
        if (++lists === 2) for (const { owner } of notebooks.slice(1)) await store.deleteNotebook(owner, clock.now);
        return objects.list(after);
      },
    };
    const result = await sweepOrphanImages({ ...partsOf(), objects: goes });
    expect(result).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/went missing while it swept; it stopped after 0/),
    });
    expect((await objects.list()).objects).toHaveLength(4);
  });

  it('never deletes what is uploaded while it lists or compares', async () => {
    await livingObjects(10);
    const orphans = await some(3, () => keyIn(newId()));
    clock.now += 2 * day;
    const uploaded: string[] = [];
    const upload = async () => {
      const { notebook } = await make(store);
      // Old by its own clock: the notebook alone protects it.
      clock.now -= 2 * day;
      uploaded.push(...(await some(1, () => keyIn(notebook.id))));
      clock.now += 2 * day;
    };
    const busyStore = {
      hasNotebooks: () => store.hasNotebooks(),
      async findLivingNotebooks(ids: readonly string[]) {
        await upload();
        const found = await store.findLivingNotebooks(ids);
        await upload();
        return found;
      },
    };
    const busyObjects = {
      ...objects,
      async list(after?: string) {
        await upload();
        const page = await objects.list(after);
        await upload();
        return page;
      },
    };
    await sweepOrphanImages({ ...partsOf(), store: busyStore, objects: busyObjects });
    expect(uploaded).toHaveLength(8);
    expect(there(uploaded)).toEqual(uploaded);
    expect(there(orphans)).toEqual([]);
  });

  it('goes through many pages, asking the database about a page at a time', async () => {
    const { notebook } = await make(store);
    const living = await some(2_400, () => keyIn(notebook.id));
    await some(1_100, () => keyIn(newId()));
    clock.now += day;
    const asked: number[] = [];
    const counted = {
      hasNotebooks: () => store.hasNotebooks(),
      findLivingNotebooks(ids: readonly string[]) {
        asked.push(ids.length);
        return store.findLivingNotebooks(ids);
      },
    };
    const result = await sweepOrphanImages({ ...partsOf(), store: counted });
    expect(result.counts).toMatchObject({ ours: 3_500, living: 2_400, orphans: 1_100 });
    expect(Math.max(...asked)).toBeLessThanOrEqual(1_000);
    expect(there(living)).toEqual(living);
    expect((await sweep()).counts).toMatchObject({ ours: 2_400, orphans: 0 });
  });

  it('stops when it is told to, and the next one finishes', async () => {
    const living = await livingObjects(2_000);
    await some(1_500, () => keyIn(newId()));
    clock.now += day;
    const stop = new AbortController();
    const reason = new Error('the service is stopping');
    const stopping = {
      ...objects,
      async delete(keys: readonly string[]) {
        await objects.delete(keys);
        stop.abort(reason);
      },
    };
    await expect(sweepOrphanImages({ ...partsOf(), objects: stopping }, { signal: stop.signal })).rejects.toBe(reason);
    const { counts } = await sweep();
    expect(counts.orphans).toBeGreaterThan(0);
    expect(counts.orphans).toBeLessThan(1_500);
    expect(there(living)).toEqual(living);
    expect((await sweep()).counts).toMatchObject({ ours: 2_000, orphans: 0 });
  });

  it('is harmless twice at once', async () => {
    const living = await livingObjects(1_200);
    await some(1_000, () => keyIn(newId()));
    clock.now += day;
    const results = await Promise.all([sweep(), sweep()]);
    expect(results.map(({ kind }) => kind)).toEqual(['swept', 'swept']);
    expect(there(living)).toEqual(living);
    expect((await sweep()).counts).toMatchObject({ ours: 1_200, orphans: 0 });
  });
});

describe('a key of ours', () => {
  const [a, b] = [newId(), newId()];
  it.each(['png', 'jpg', 'gif', 'webp', 'avif'])('ends in .%s', ending => {
    expect(isObjectKey(`${a}/${b}.${ending}`)).toBe(true);
  });
  it.each([
    `${a}/${b}.svg`,
    `${a}/${b}`,
    `${a}/${b}.webp/x`,
    `x/${a}/${b}.webp`,
    `/${a}/${b}.webp`,
    `${a.toUpperCase()}/${b}.webp`,
    `${a}/${b}.webp\n`,
    `${a}//${b}.webp`,
    `${a.slice(1)}/${b}.webp`,
    '',
  ])('is not %j', key => {
    expect(isObjectKey(key)).toBe(false);
  });
});
