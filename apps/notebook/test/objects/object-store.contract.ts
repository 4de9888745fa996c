import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ObjectHeaders, ObjectPage, ObjectStore, StoredObject } from '../../src/objects/object-store.ts';

/** A fresh, empty store, and a reader's browser. */
export interface ObjectStoreSubject {
  readonly store: ObjectStore;
  fetch(key: string): Promise<{ readonly bytes: Uint8Array; readonly headers: ObjectHeaders } | undefined>;
}

const headers: ObjectHeaders = { contentType: 'image/webp', cacheControl: 'public, max-age=31536000, immutable' };
const newKey = (folder = randomBytes(8).toString('hex')) => `${folder}/${randomBytes(8).toString('hex')}.webp`;

async function listAll(store: ObjectStore): Promise<ObjectPage[]> {
  const pages: ObjectPage[] = [];
  do pages.push(await store.list(pages.at(-1)?.next));
  while (pages.at(-1)!.next !== undefined);
  return pages;
}

async function findListed(store: ObjectStore, key: string): Promise<StoredObject | undefined> {
  return (await listAll(store)).flatMap(page => page.objects).find(object => object.key === key);
}

/** What every object store must do. Called inside of a `describe`; the subject is there once its `beforeAll` has run. */
export function objectStoreContract(subject: () => ObjectStoreSubject): void {
  it('gives back the bytes with exactly the headers they were stored with', async () => {
    const { store, fetch } = subject();
    const key = newKey();
    const bytes = randomBytes(70_000);
    await store.put(key, bytes, headers);
    const found = await fetch(key);
    expect(found?.headers).toEqual(headers);
    expect(Buffer.compare(found!.bytes, bytes)).toBe(0);
  });

  it('keeps an object of no bytes', async () => {
    const { store, fetch } = subject();
    const key = newKey();
    await store.put(key, new Uint8Array(), headers);
    expect((await fetch(key))?.bytes).toHaveLength(0);
  });

  it('keeps the bytes as they were when they were given', async () => {
    const { store, fetch } = subject();
    const key = newKey();
    const bytes = Buffer.from('before');
    await store.put(key, bytes, headers);
    bytes.write('behind');
    expect(Buffer.from((await fetch(key))!.bytes).toString()).toBe('before');
  });

  it('gives the bytes back to the service itself, and nothing for a key that is not there', async () => {
    const { store } = subject();
    const key = newKey();
    const bytes = randomBytes(300_000);
    await store.put(key, bytes, headers);
    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.get(key))!) pieces.push(piece);
    expect(Buffer.compare(Buffer.concat(pieces), bytes)).toBe(0);
    expect(await store.get(newKey())).toBeUndefined();
    const reason = new Error('enough');
    await expect(store.get(key, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('lists the size and the time of an object', async () => {
    const { store } = subject();
    const key = newKey();
    const before = Date.now();
    await store.put(key, Buffer.alloc(1_234), headers);
    const found = await findListed(store, key);
    expect(found).toMatchObject({ key, bytes: 1_234 });
    expect(Math.abs(found!.modifiedAt - before)).toBeLessThan(60_000);
  });

  it('deletes what it is asked to and nothing else; what is not there counts as deleted', async () => {
    const { store, fetch } = subject();
    const [one, other, stays] = [newKey(), newKey(), newKey()];
    for (const key of [one, other, stays]) await store.put(key, Buffer.from(key), headers);
    await store.delete([one, newKey(), other]);
    await store.delete([one]);
    await store.delete([]);
    expect(await Promise.all([one, other, stays].map(async key => (await fetch(key)) !== undefined))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('puts the same key again with the same bytes', async () => {
    const { store, fetch } = subject();
    const key = newKey();
    for (let times = 0; times < 2; times++) await store.put(key, Buffer.from('same'), headers);
    expect(Buffer.from((await fetch(key))!.bytes).toString()).toBe('same');
  });

  it('stops before it asks when the signal says so', async () => {
    const { store, fetch } = subject();
    const key = newKey();
    await store.put(key, Buffer.from('stays'), headers);
    const reason = new Error('enough');
    await expect(store.list(undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(store.delete([key], AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await fetch(key)).toBeDefined();
  });

  // One after the other: writing so many objects once is enough.
  describe('with more than two pages of objects', { shuffle: false }, () => {
    // Objects of 60 notebooks, whose ids begin in four ways: a page ends within a folder that has others beside it. A folder for each
    // object would have to be made, and forced to the disk, each time.
    const folders = Array.from({ length: 60 }, (_, at) => `${at % 4}0${randomBytes(7).toString('hex')}`);
    const keys = Array.from({ length: 2_100 }, (_, at) => newKey(folders[at % folders.length])).sort();
    beforeAll(async () => {
      const { store } = subject();
      await store.delete((await listAll(store)).flatMap(page => page.objects).map(({ key }) => key));
      const waiting = [...keys];
      const putNext = async () => {
        for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) await store.put(key, Buffer.from('x'), headers);
      };
      await Promise.all(Array.from({ length: 16 }, putNext));
    }, 180_000);

    it('lists each of them once, at most 1,000 at a time, in the order of their keys', async () => {
      const pages = await listAll(subject().store);
      expect(pages.length).toBeGreaterThan(2);
      expect(Math.max(...pages.map(page => page.objects.length))).toBeLessThanOrEqual(1_000);
      expect(pages.flatMap(page => page.objects).map(({ key }) => key)).toEqual(keys);
    });

    it('goes on listing behind what was deleted in the middle of it', async () => {
      const { store } = subject();
      const first = await store.list();
      await store.delete(first.objects.slice(500).map(({ key }) => key));
      const second = await store.list(first.next);
      const [from, length] = [first.objects.length, second.objects.length];
      expect(length).toBeGreaterThan(100);
      expect(second.objects.map(({ key }) => key)).toEqual(keys.slice(from, from + length));
    });

    it('deletes more than 1,000 with one call', async () => {
      const { store } = subject();
      await store.delete(keys);
      expect(await listAll(store)).toEqual([{ objects: [] }]);
    });
  });
}
