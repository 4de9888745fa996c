import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../src/objects/memory.ts';
import { ObjectStoreFailed } from '../../src/objects/object-store.ts';
import { deleteQueuedObjects } from '../../src/operations/delete-queued-objects.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { aPicture } from './pictures.ts';
import { addRecords, idOf, tally, upload } from './upload.ts';

const picture = await aPicture('png');

describe.each(engines)('an upload that does not come to its end, on $name', engine => {
  let app: NotebookApp;
  const memory = createMemoryStore();
  afterEach(() => app.close());

  /** With an object store, or records, of which some methods do something else. */
  async function start(
    objects: Partial<MemoryStore>,
    disturb: (store: Store) => Partial<Store> = () => ({}),
  ): Promise<CreatedNotebook> {
    const database = await engine.createDatabase();
    const store = createStore(database.url);
    app = await startNotebookApp({
      overrides: { objects: { ...memory, ...objects }, store: { ...store, ...disturb(store) } },
    });
    return app.create();
  }
  const stored = async () => (await memory.list()).objects.map(({ key }) => key);
  const isFree = async (made: CreatedNotebook) => {
    const id = await idOf(app, made);
    await addRecords(app.parts.store, made.slug, made.editToken, 50);
    return (await app.parts.store.listImages(id)).length === 50;
  };

  it('leaves nothing when the object store refuses, and says so in one sentence', async () => {
    const made = await start({ put: () => Promise.reject(new ObjectStoreFailed('put: the store answered 500')) });
    const answer = await upload(app, made, picture);
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: 'The image store did not accept that file.',
      status: 502,
      code: 'image_store_failed',
    });
    expect(await stored()).toEqual([]);
    expect(await isFree(made)).toBe(true);
  });

  it('leaves nothing when the store took it, but its answer was lost', async () => {
    const made = await start({
      async put(...given) {
        await memory.put(...given);
        throw new ObjectStoreFailed('put: the store did not answer in time');
      },
    });
    expect((await upload(app, made, picture)).statusCode).toBe(502);
    expect(await stored()).toEqual([]);
    // A store that is slower still may take it after all: it is looked for once more.
    const queued = await app.parts.store.listQueuedObjectsOf(await idOf(app, made));
    expect(queued).toHaveLength(1);
    await memory.put(queued[0]!, picture, { contentType: 'image/png', cacheControl: '' });
    app.clock.now += 60_000;
    expect(await deleteQueuedObjects(app.parts)).toEqual({ deleted: 1 });
    expect(await stored()).toEqual([]);
  });

  it('takes the object back when the record fails', async () => {
    const made = await start({}, () => ({ addImage: () => Promise.reject(new Error('the disk is full')) }));
    expect((await upload(app, made, picture)).statusCode).toBe(500);
    expect(await stored()).toEqual([]);
    expect(await app.parts.store.listQueuedObjectsOf(await idOf(app, made))).toEqual([]);
  });

  it('keeps the object when the record stands and only its answer was lost', async () => {
    const made = await start({}, store => ({
      async addImage(...given) {
        await store.addImage(...given);
        throw new Error('the connection was lost');
      },
    }));
    expect((await upload(app, made, picture)).statusCode).toBe(500);
    const images = await app.parts.store.listImages(await idOf(app, made));
    expect(await stored()).toEqual(images.map(({ key }) => key));
    expect(images).toHaveLength(1);
    await memory.delete(await stored());
  });

  it('queues the object when the record fails and the store is out of reach by then', async () => {
    let down = true;
    const made = await start(
      { delete: keys => (down ? Promise.reject(new ObjectStoreFailed('delete: no answer')) : memory.delete(keys)) },
      () => ({ addImage: () => Promise.reject(new Error('the disk is full')) }),
    );
    expect((await upload(app, made, picture)).statusCode).toBe(500);
    expect(await app.parts.store.listQueuedObjectsOf(await idOf(app, made))).toEqual(await stored());
    expect(await stored()).toHaveLength(1);
    down = false;
    await deleteQueuedObjects(app.parts);
    expect(await stored()).toEqual([]);
  });

  it.each([
    [
      'was deleted',
      'not_found',
      (made: CreatedNotebook) => app.ask('DELETE', `/api/notebooks/${made.slug}`, { token: made.editToken }),
    ],
    [
      'became read-only',
      'read_only',
      (made: CreatedNotebook) =>
        app.ask('PATCH', `/api/notebooks/${made.slug}`, { token: made.editToken, body: { readOnly: true } }),
    ],
    [
      'got another token',
      'edit_token_invalid',
      (made: CreatedNotebook) => app.ask('POST', `/api/notebooks/${made.slug}/token`, { token: made.editToken }),
    ],
  ] as const)('takes the object back when the notebook %s while it was stored', async (_, code, meanwhile) => {
    let made: CreatedNotebook | undefined;
    made = await start({
      async put(...given) {
        expect((await meanwhile(made!)).statusCode).toBe(200);
        await memory.put(...given);
      },
    });
    expect((await upload(app, made, picture)).json().code).toBe(code);
    expect(await stored()).toEqual([]);
  });

  it('leaves no object where uploads race the deletion of their notebook', async () => {
    await start({});
    for (let round = 0; round < 10; round++) {
      const made = await app.create();
      const uploads = Array.from({ length: 10 }, () => upload(app, made, picture));
      await Promise.race(uploads.slice(0, 1 + (round % 5)));
      const deleted = await app.ask('DELETE', `/api/notebooks/${made.slug}`, { token: made.editToken });
      expect(deleted.statusCode).toBe(200);
      const counts = tally(await Promise.all(uploads));
      expect((counts[201] ?? 0) + (counts['404 not_found'] ?? 0)).toBe(10);
      expect(await stored()).toEqual([]);
    }
  });

  it('is found by its slot when the process died on the way', async () => {
    const made = await start({}, () => ({ addImage: () => new Promise(() => {}) }));
    void upload(app, made, picture).catch(() => {});
    await expect.poll(stored, { timeout: 20_000 }).toHaveLength(1);
    expect(await deleteQueuedObjects(app.parts)).toEqual({ deleted: 0 });
    app.clock.now += 600_000;
    expect(await deleteQueuedObjects(app.parts)).toMatchObject({ deleted: 5 });
    expect(await stored()).toEqual([]);
  });
});
