import { describe, expect, it } from 'vitest';
import { type Image, objectKey, possibleKeys } from '../../../src/model/image.ts';
import type { Owner, Writer } from '../../../src/model/rights.ts';
import type { RateSlot, Store } from '../../../src/store/store.ts';
import { atOnce, countBy, day, type Made, make, minute, newId, noon, type Subject } from './subject.ts';

export const anUploadRate = (over: Partial<RateSlot> = {}): RateSlot => ({
  name: 'imageUpload',
  key: newId(),
  max: 60,
  windowSeconds: 600,
  ...over,
});

export function anImage(notebookId: string, over: Partial<Image> = {}): Image {
  const id = over.id ?? newId();
  const size = { bytes: 12_345, width: 640, height: 480 };
  return { id, notebookId, key: objectKey(notebookId, id, 'webp'), type: 'webp', ...size, createdAt: noon, ...over };
}

/** A slot and the record in it. */
async function addOne(store: Store, by: Writer, now = noon): Promise<Image> {
  const image = anImage(by.notebookId, { createdAt: now });
  const steps = [await store.takeUploadSlot(by, image.id, undefined, now), await store.addImage(by, image, now)];
  expect(steps).toEqual([{ kind: 'taken' }, { kind: 'added' }]);
  return image;
}

export async function addMany(store: Store, owner: Owner, count: number): Promise<Image[]> {
  return atOnce(count, () => addOne(store, owner));
}

export function imagesContract(subject: () => Subject): void {
  const used = async (rate: RateSlot) => {
    const [row] = await subject().sql('SELECT used FROM rate_slots WHERE name = ? AND key = ?', rate.name, rate.key);
    return Number(row?.used ?? 0);
  };

  describe('takeUploadSlot', () => {
    it('lets 5 of 80 at once into a notebook of 45 images, and counts those 5 alone', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const made = await make(store);
      await addMany(store, made.owner, 45);
      const rate = anUploadRate({ max: 1_000 });
      const results = await atOnce(80, turn => stores[turn % 2]!.takeUploadSlot(made.owner, newId(), rate, noon));
      expect(countBy(results, ({ kind }) => kind)).toEqual({ taken: 5, image_limit: 75 });
      expect(await used(rate)).toBe(5);
      await stores[1]!.close();
    });

    it('lets 60 of 80 at once from one address over several notebooks, and takes no slot for the others', async () => {
      const { store, another, sql } = subject();
      const stores = [store, await another()];
      const notebooks = await atOnce(4, () => make(store));
      const rate = anUploadRate();
      const results = await atOnce(80, turn =>
        stores[turn % 2]!.takeUploadSlot(notebooks[turn % 4]!.owner, newId(), rate, noon + 1_000),
      );
      expect(countBy(results, ({ kind }) => kind)).toEqual({ taken: 60, rate_limited: 20 });
      expect(results.find(({ kind }) => kind === 'rate_limited')).toEqual({ kind: 'rate_limited', retryAfterSeconds: 600 });
      const ids = notebooks.map(({ notebook }) => notebook.id);
      const [slots] = await sql('SELECT count(*) AS n FROM upload_slots WHERE notebook_id IN (?, ?, ?, ?)', ...ids);
      expect([Number(slots?.n), await used(rate)]).toEqual([60, 60]);
      await stores[1]!.close();
    });

    it('counts nothing when it refuses, by whichever limit', async () => {
      const { store } = subject();
      const [full, empty] = [await make(store), await make(store)];
      await addMany(store, full.owner, 50);
      const rate = anUploadRate({ max: 1 });
      expect(await store.takeUploadSlot(full.owner, newId(), rate, noon)).toEqual({ kind: 'image_limit' });
      expect(await store.takeUploadSlot(empty.owner, newId(), rate, noon)).toEqual({ kind: 'taken' });
      // With both limits reached the nearer one is told: waiting would not help.
      expect(await store.takeUploadSlot(full.owner, newId(), rate, noon)).toEqual({ kind: 'image_limit' });
      expect((await store.takeUploadSlot(empty.owner, newId(), rate, noon)).kind).toBe('rate_limited');
      expect(await used(rate)).toBe(1);
      expect(await atOnce(49, () => store.takeUploadSlot(empty.owner, newId(), undefined, noon))).toEqual(
        Array(49).fill({ kind: 'taken' }),
      );
    });

    it('is free again when the file was refused, and the address keeps its count', async () => {
      const { store } = subject();
      const made = await make(store);
      await addMany(store, made.owner, 49);
      const [rate, id] = [anUploadRate(), newId()];
      expect(await store.takeUploadSlot(made.owner, id, rate, noon)).toEqual({ kind: 'taken' });
      expect(await store.takeUploadSlot(made.owner, newId(), rate, noon)).toEqual({ kind: 'image_limit' });
      await store.freeUploadSlot(id);
      expect(await store.takeUploadSlot(made.owner, newId(), rate, noon)).toEqual({ kind: 'taken' });
      expect(await used(rate)).toBe(2);
    });

    it('frees itself after ten minutes, and can no longer be filled then', async () => {
      const { store } = subject();
      const made = await make(store);
      await addMany(store, made.owner, 49);
      const image = anImage(made.notebook.id);
      await store.takeUploadSlot(made.owner, image.id, undefined, noon);
      const late = noon + 10 * minute;
      expect(await store.takeUploadSlot(made.owner, newId(), undefined, late - 1)).toEqual({ kind: 'image_limit' });
      expect(await store.takeUploadSlot(made.owner, newId(), undefined, late)).toEqual({ kind: 'taken' });
      expect(await store.addImage(made.owner, image, late)).toEqual({ kind: 'slot_over' });
      expect(await store.listImages(made.notebook.id)).toHaveLength(49);
    });
  });

  describe('addImage', () => {
    it('fills its slot once, and never without one', async () => {
      const { store } = subject();
      const made = await make(store);
      const image = await addOne(store, made.owner);
      expect(await store.addImage(made.owner, image, noon)).toEqual({ kind: 'slot_over' });
      expect(await store.addImage(made.owner, anImage(made.notebook.id), noon)).toEqual({ kind: 'slot_over' });
      expect(await store.listImages(made.notebook.id)).toStrictEqual([image]);
    });

    it('does not take the slot of another notebook', async () => {
      const { store } = subject();
      const [one, other] = [await make(store), await make(store)];
      const image = anImage(other.notebook.id);
      await store.takeUploadSlot(one.owner, image.id, undefined, noon);
      expect(await store.addImage(other.owner, image, noon)).toEqual({ kind: 'slot_over' });
    });
  });

  describe('listImages', () => {
    it('has the newest first, of this notebook alone', async () => {
      const { store } = subject();
      const [made, other] = [await make(store), await make(store)];
      const images = [await addOne(store, made.owner), await addOne(store, made.owner), await addOne(store, made.owner)];
      await addOne(store, other.owner);
      expect(await store.listImages(made.notebook.id)).toStrictEqual(images.reverse());
    });
  });

  describe('deleteImage', () => {
    it('queues the object with the record, and makes room', async () => {
      const { store } = subject();
      const made = await make(store);
      const [image] = await addMany(store, made.owner, 50);
      expect(await store.deleteImage(made.owner, image!.id, noon)).toEqual({ kind: 'deleted', key: image!.key });
      expect(await store.listQueuedObjectsOf(made.notebook.id)).toEqual([image!.key]);
      expect(await store.deleteImage(made.owner, image!.id, noon)).toEqual({ kind: 'image_missing' });
      await addOne(store, made.owner);
    });

    it('does not reach into another notebook', async () => {
      const { store } = subject();
      const [made, other] = [await make(store), await make(store)];
      const image = await addOne(store, other.owner);
      expect(await store.deleteImage(made.owner, image.id, noon)).toEqual({ kind: 'image_missing' });
      expect(await store.listImages(other.notebook.id)).toHaveLength(1);
    });
  });

  describe('a notebook that goes', () => {
    const goes: Record<string, (store: Store, made: Made) => Promise<unknown>> = {
      deleteNotebook: (store, { owner }) => store.deleteNotebook(owner, noon + 90 * day),
      purgeNotebooks: store =>
        store.purgeNotebooks({ expiredBefore: noon, openedBefore: 0, reportedBefore: 0 }, noon + 90 * day, 1_000),
    };

    it.each(Object.entries(goes))('queues its objects, stored or under way (%s)', async (_, go) => {
      const { store, sql } = subject();
      const [made, living] = [await make(store, { expiresAt: noon - 1 }), await make(store)];
      const images = await addMany(store, made.owner, 3);
      const kept = await addOne(store, living.owner);
      const underWay = newId();
      await store.takeUploadSlot(made.owner, underWay, undefined, noon);
      await go(store, made);
      const expected = [...images.map(({ key }) => key), ...possibleKeys(made.notebook.id, underWay)];
      expect((await store.listQueuedObjectsOf(made.notebook.id)).sort()).toEqual(expected.sort());
      expect(await store.listQueuedObjectsOf(living.notebook.id)).toEqual([]);
      expect(await store.listImages(living.notebook.id)).toStrictEqual([kept]);
      for (const table of ['images', 'upload_slots']) {
        expect(await sql(`SELECT * FROM ${table} WHERE notebook_id = ?`, made.notebook.id)).toEqual([]);
      }
      expect(await store.addImage(made.owner, anImage(made.notebook.id, { id: underWay }), noon)).toEqual({ kind: 'gone' });
    });

    it('while images come in leaves none of them unqueued or unrefused', async () => {
      const { store, another } = subject();
      const other = await another();
      for (let round = 0; round < 5; round++) {
        const made = await make(store);
        const ids = await atOnce(20, async () => {
          const id = newId();
          await store.takeUploadSlot(made.owner, id, undefined, noon);
          return id;
        });
        const added = ids.map(id => other.addImage(made.owner, anImage(made.notebook.id, { id }), noon));
        expect(await store.deleteNotebook(made.owner, noon)).toBe(true);
        const queued = await store.listQueuedObjectsOf(made.notebook.id);
        const results = await Promise.all(added);
        for (const [turn, { kind }] of results.entries()) {
          expect(['added', 'gone']).toContain(kind);
          expect(queued).toContain(objectKey(made.notebook.id, ids[turn]!, 'webp'));
        }
      }
      await other.close();
    });
  });

  describe('queueAbandonedUploads', () => {
    it('takes slots that are over, and queues wherever their objects may lie', async () => {
      const { store } = subject();
      const made = await make(store);
      const [dead, alive] = [newId(), newId()];
      await store.queueAbandonedUploads(noon - day, 1_000);
      await store.takeUploadSlot(made.owner, dead, undefined, noon - day - 10 * minute);
      await store.takeUploadSlot(made.owner, alive, undefined, noon - day);
      expect(await store.queueAbandonedUploads(noon - day, 1_000)).toBe(1);
      expect(await store.listQueuedObjectsOf(made.notebook.id)).toEqual(possibleKeys(made.notebook.id, dead));
      expect(await store.addImage(made.owner, anImage(made.notebook.id, { id: alive }), noon - day)).toEqual({ kind: 'added' });
    });
  });

  objectDeletionsContract(subject);
  livingNotebooksContract(subject);
}

function objectDeletionsContract(subject: () => Subject): void {
  describe('object deletions', () => {
    it('are listed when due, oldest first, once each, until they are forgotten', async () => {
      const { store } = subject();
      const notebook = newId();
      const keys = ['c', 'a', 'b'].map(name => `${notebook}/${name}.webp`);
      await store.queueObjectDeletions(keys, 1_000);
      await store.queueObjectDeletions([keys[1]!], 900);
      expect(await store.listObjectDeletions(999, 10)).not.toContain(keys[0]);
      const due = async (now: number) => (await store.listObjectDeletions(now, 10_000)).filter(key => keys.includes(key));
      expect(await due(1_000)).toEqual(keys);
      await store.postponeObjectDeletions(keys.slice(0, 1), 5_000);
      expect([await due(4_999), await due(5_000)]).toEqual([keys.slice(1), [...keys.slice(1), keys[0]]]);
      await store.dequeueObjectDeletions([keys[1]!, 'never/queued.png']);
      expect(await due(5_000)).toEqual([keys[2], keys[0]]);
      expect(await store.listQueuedObjectsOf(notebook)).toEqual([keys[0], keys[2]]);
      expect(await store.listObjectDeletions(5_000, 1)).toHaveLength(1);
    });

    it('are taken by the thousand', async () => {
      const { store } = subject();
      const notebook = newId();
      const keys = Array.from({ length: 2_500 }, (_, at) => `${notebook}/${at}.png`);
      await store.queueObjectDeletions(keys, noon);
      expect(await store.listQueuedObjectsOf(notebook)).toEqual(keys);
      await store.postponeObjectDeletions(keys, noon + 1);
      await store.dequeueObjectDeletions(keys);
      expect(await store.listQueuedObjectsOf(notebook)).toEqual([]);
      await store.queueObjectDeletions([], noon);
      await store.dequeueObjectDeletions([]);
    });
  });
}

function livingNotebooksContract(subject: () => Subject): void {
  describe('findLivingNotebooks', () => {
    it('tells the ids of notebooks from all others, by the thousand', async () => {
      const { store } = subject();
      const living = (await atOnce(3, () => make(store))).map(({ notebook }) => notebook.id);
      const others = Array.from({ length: 3_000 }, () => newId());
      const odd = ['', "'; --", 'a\0b', '\ud800', '"quoted\\', 'ü'];
      expect(await store.findLivingNotebooks([...others, ...living, ...odd, ...living])).toEqual(new Set(living));
      expect(await store.findLivingNotebooks([])).toEqual(new Set());
    });

    it('hasNotebooks tells an empty database', async () => {
      const { store } = await subject().empty();
      await store.migrate();
      expect(await store.hasNotebooks()).toBe(false);
      await make(store);
      expect(await store.hasNotebooks()).toBe(true);
      await store.close();
    });
  });
}
