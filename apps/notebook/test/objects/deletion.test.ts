import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectKey } from '../../src/model/image.ts';
import { Owner } from '../../src/model/rights.ts';
import { createMemoryStore, type MemoryStore } from '../../src/objects/memory.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../src/objects/object-store.ts';
import { deleteQueuedObjects, describeQueue } from '../../src/operations/delete-queued-objects.ts';
import { addMany } from '../store/contract/images.ts';
import { day, make, minute, newId, noon } from '../store/contract/subject.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const headers = { contentType: 'image/webp', cacheControl: 'public, max-age=31536000, immutable' };

/** A store that can be out of reach, or silent, and tells what it was asked to delete. */
interface Reachable extends ObjectStore {
  state: 'there' | 'failing' | 'silent' | 'lying';
  readonly asked: (readonly string[])[];
}

function reachable(memory: MemoryStore): Reachable {
  const store: Reachable = {
    ...memory,
    state: 'there',
    asked: [],
    async delete(keys, signal) {
      store.asked.push(keys);
      if (store.state === 'failing') throw new ObjectStoreFailed('delete: the store is out of reach (ECONNREFUSED)');
      if (store.state === 'silent')
        await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      if (store.state !== 'lying') await memory.delete(keys);
    },
  };
  return store;
}

describe.each(engines)('objects of what is deleted, on $name', engine => {
  let app: NotebookApp;
  let memory: MemoryStore;
  let objects: Reachable;
  beforeEach(async () => {
    memory = createMemoryStore();
    objects = reachable(memory);
    app = await startNotebookApp({ engine, env: { LOG_LEVEL: 'silent' }, overrides: { objects } });
    app.clock.now = noon;
  });
  afterEach(() => app.close());

  const drain = () => deleteQueuedObjects(app.parts);
  const there = (keys: readonly string[]) => keys.filter(key => memory.find(key) !== undefined);
  const putAll = async (keys: readonly string[]) => {
    for (const key of keys) await memory.put(key, Buffer.from('bytes'), headers);
    return keys;
  };
  const addImages = async (owner: Owner, count: number) =>
    putAll((await addMany(app.parts.store, owner, count)).map(({ key }) => key));

  /** A notebook through the API with images in both stores. */
  async function createWithImages(count: number, body: object = {}) {
    const made = await app.create(body);
    const notebook = (await app.parts.store.findNotebookBySlug(made.slug))!;
    const keys = await addImages(Owner.check(notebook, made.editToken)!, count);
    return { ...made, id: notebook.id, keys };
  }
  const remove = (slug: string, token: string) => app.ask('DELETE', `/api/notebooks/${slug}`, { token });

  it('are gone when the owner’s deletion is answered, and nothing else is', async () => {
    const [goes, stays] = [await createWithImages(3), await createWithImages(2)];
    const answer = await remove(goes.slug, goes.editToken);
    expect([answer.statusCode, answer.json()]).toEqual([200, { deleted: true }]);
    expect(there(goes.keys)).toEqual([]);
    expect(there(stays.keys)).toEqual(stays.keys);
    expect(await app.parts.store.listQueuedObjectsOf(goes.id)).toEqual([]);
    expect(objects.asked.flat().sort()).toEqual([...goes.keys].sort());
  });

  it('stay when the deletion is refused', async () => {
    const { slug, keys } = await createWithImages(1);
    expect((await remove(slug, 'A'.repeat(43))).statusCode).toBe(403);
    expect((await app.ask('DELETE', `/api/notebooks/${slug}`)).statusCode).toBe(401);
    expect(there(keys)).toEqual(keys);
  });

  it('are queued while the store is out of reach: the deletion stands, and a minute later they go', async () => {
    const { id, slug, editToken, keys } = await createWithImages(3);
    objects.state = 'failing';
    expect((await remove(slug, editToken)).statusCode).toBe(200);
    expect((await app.ask('GET', `/n/${slug}`)).statusCode).toBe(404);
    expect(there(keys)).toEqual(keys);
    expect(await drain()).toEqual({ deleted: 0, failed: 'delete: the store is out of reach (ECONNREFUSED)' });
    expect((await app.parts.store.listQueuedObjectsOf(id)).sort()).toEqual([...keys].sort());
    objects.state = 'there';
    expect(await drain()).toEqual({ deleted: 0 });
    app.clock.now += minute;
    const done = await drain();
    expect(done).toEqual({ deleted: 3 });
    expect(describeQueue(done)).toBe('Deleted 3 objects of the image store.');
    expect(there(keys)).toEqual([]);
    expect(await app.parts.store.listQueuedObjectsOf(id)).toEqual([]);
    expect(await drain()).toEqual({ deleted: 0 });
  });

  it('of a purged notebook go with the purge of the schedule', async () => {
    const [goes, stays] = [await createWithImages(3, { expiresIn: '1h' }), await createWithImages(2)];
    app.clock.now += 5 * day;
    expect(await app.jobs.check()).toContain('purge');
    expect(await app.parts.store.findNotebookBySlug(goes.slug)).toBeUndefined();
    expect(there(goes.keys)).toEqual([]);
    expect(there(stays.keys)).toEqual(stays.keys);
  });

  it('of a purge with the store out of reach wait in the queue, and the purge is done all the same', async () => {
    const goes = await createWithImages(3, { expiresIn: '1h' });
    objects.state = 'failing';
    app.clock.now += 5 * day;
    expect(await app.jobs.check()).toContain('purge');
    expect(await app.parts.store.findNotebookBySlug(goes.slug)).toBeUndefined();
    objects.state = 'there';
    app.clock.now += minute;
    expect(await drain()).toEqual({ deleted: 3 });
  });

  it('of the weekly sweep go with the schedule', async () => {
    const { notebook, owner } = await make(app.parts.store);
    const kept = await addImages(owner, 2);
    const orphan = await putAll([objectKey(newId(), newId(), 'png')]);
    app.clock.now = Date.now() + 8 * day;
    expect(await app.jobs.check()).toContain('sweep');
    expect(there(orphan)).toEqual([]);
    expect(there(kept)).toEqual(kept);
    expect(await app.parts.store.listImages(notebook.id)).toHaveLength(2);
    // A refusal is told and not tried again before the next week.
    for (let turn = 0; turn < 6; turn++) await putAll([objectKey(newId(), newId(), 'png')]);
    app.clock.now += 8 * day;
    expect(await app.jobs.check()).toContain('sweep');
    expect((await memory.list()).objects).toHaveLength(8);
    expect(await app.jobs.check()).not.toContain('sweep');
  });

  // Spec 1 §3: the weekly sweep covers notebooks removed by expiry.
  it('of an expired notebook that the purge did not get are found by the sweep', async () => {
    const [goes, stays] = [await createWithImages(2, { expiresIn: '1d' }), await createWithImages(3)];
    // The store says that it deleted, and did not.
    objects.state = 'lying';
    app.clock.now = Date.now() + 8 * day;
    await app.jobs.check();
    expect(await app.parts.store.findNotebookBySlug(goes.slug)).toBeUndefined();
    expect(await app.parts.store.listQueuedObjectsOf(goes.id)).toEqual([]);
    expect(there(goes.keys)).toEqual(goes.keys);
    objects.state = 'there';
    app.clock.now += 7 * day;
    expect(await app.jobs.check()).toContain('sweep');
    expect(there(goes.keys)).toEqual([]);
    expect(there(stays.keys)).toEqual(stays.keys);
  });

  it('go in portions, and one that fails keeps none of the others waiting for ever', async () => {
    const keys = await putAll(Array.from({ length: 1_200 }, () => objectKey(newId(), newId(), 'webp')));
    await app.parts.store.queueObjectDeletions(keys, noon);
    objects.state = 'failing';
    expect(await drain()).toMatchObject({ deleted: 0 });
    const [failed = []] = objects.asked;
    expect(failed).toHaveLength(500);
    objects.state = 'there';
    app.clock.now += minute;
    expect(await drain()).toEqual({ deleted: 1_200 });
    expect(objects.asked.slice(1).map(({ length }) => length)).toEqual([500, 500, 200]);
    // Those that had failed come last.
    expect(objects.asked[1]!.some(key => failed.includes(key))).toBe(false);
    expect(there(keys)).toEqual([]);
  });

  it('go once each, however many processes look after the queue', async () => {
    const keys = await putAll(Array.from({ length: 1_500 }, () => objectKey(newId(), newId(), 'webp')));
    await app.parts.store.queueObjectDeletions(keys, noon);
    await Promise.all([drain(), drain(), drain(), drain()]);
    expect(there(keys)).toEqual([]);
    app.clock.now += 2 * minute;
    expect(await app.parts.store.listObjectDeletions(app.clock.now, 10)).toEqual([]);
  });

  it('of an upload whose process died are found by its slot', async () => {
    const { owner, notebook } = await make(app.parts.store);
    const dead = newId();
    await app.parts.store.takeUploadSlot(owner, dead, undefined, noon);
    const [key] = await putAll([objectKey(notebook.id, dead, 'gif')]);
    await drain();
    expect(there([key!])).toEqual([key]);
    app.clock.now += 11 * minute;
    expect((await drain()).deleted).toBe(5);
    expect(there([key!])).toEqual([]);
  });

  it('are left in the queue when the process is told to stop', async () => {
    await app.parts.store.queueObjectDeletions([objectKey(newId(), newId(), 'webp')], noon);
    const reason = new Error('the service is stopping');
    await expect(deleteQueuedObjects(app.parts, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await app.parts.store.listObjectDeletions(noon, 10)).toHaveLength(1);
  });
});

describe('an owner who deletes', () => {
  it('does not wait for ever for an image store that does not answer', async () => {
    const memory = createMemoryStore();
    const objects = reachable(memory);
    const app = await startNotebookApp({ overrides: { objects } });
    const { slug, editToken } = await app.create();
    const id = (await app.parts.store.findNotebookBySlug(slug))!.id;
    await app.parts.store.queueObjectDeletions([objectKey(id, newId(), 'webp')], noon);
    objects.state = 'silent';
    expect((await app.ask('DELETE', `/api/notebooks/${slug}`, { token: editToken })).statusCode).toBe(200);
    expect(objects.asked).toHaveLength(1);
    expect(await app.parts.store.listQueuedObjectsOf(id)).toHaveLength(1);
    await app.close();
  });

  it('is answered where images are off', async () => {
    const app = await startNotebookApp({ overrides: { objects: undefined } });
    const { slug, editToken } = await app.create();
    expect((await app.ask('DELETE', `/api/notebooks/${slug}`, { token: editToken })).statusCode).toBe(200);
    expect(await deleteQueuedObjects(app.parts)).toEqual({ deleted: 0 });
    await app.close();
  });
});
