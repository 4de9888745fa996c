import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImageVerdict } from '../../src/images/image-checker.ts';
import { limits, rateLimits } from '../../src/limits.ts';
import { createMemoryStore, type MemoryStore } from '../../src/objects/memory.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../src/objects/object-store.ts';
import { addImage } from '../../src/operations/add-image.ts';
import { deleteImage } from '../../src/operations/delete-image.ts';
import { listImages } from '../../src/operations/list-images.ts';
import { openImageFile } from '../../src/operations/open-image-file.ts';
import type { Parts } from '../../src/operations/parts.ts';
import { day, minute, noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

const client = '203.0.113.7';
const file = Buffer.from('what a browser sent');
const stored = Buffer.from('without its metadata');
const good: ImageVerdict = {
  type: 'jpeg',
  width: 640,
  height: 480,
  storedWidth: 480,
  storedHeight: 640,
  frames: 1,
  bytes: stored,
};

let objects: MemoryStore;
let open: OpenParts;
let verdict: ImageVerdict | 'busy' | Error;
let checked: unknown[][];
beforeEach(async () => {
  [verdict, checked] = [good, []];
  objects = { ...createMemoryStore({ publicUrl: 'https://images.example' }), isServedHere: true };
  const check = async (...asked: unknown[]) => {
    checked.push(asked);
    if (verdict instanceof Error) throw verdict;
    return verdict;
  };
  open = await openParts({ objects, imageChecker: { check, close: async () => {} } });
});
afterEach(() => open.close());

/** The same parts with an object store, or a store, that does something else at one place. */
const withObjects = (over: Partial<ObjectStore>): Parts => ({ ...open.parts, objects: { ...objects, ...over } });
const withStore = (over: Partial<Parts['store']>): Parts => ({
  ...open.parts,
  store: Object.assign(Object.create(open.parts.store), over),
});

/** Every place of a notebook can be taken again: no slot was kept. */
async function countFree(notebook: { id: string; slug: string }, editToken: string): Promise<number> {
  const images = await listImages(open.parts, notebook.slug, { editToken });
  for (let free = 0; ; free++) {
    const said = await told(addImage({ ...open.parts, rateLimits: 'off' }, notebook.slug, file, { editToken }, client));
    if (said !== 'ok') return free + images.length;
  }
}

describe('an image that is added', () => {
  it('is checked, stored as the checker made it, and recorded', async () => {
    const { notebook, editToken } = await open.keep();
    open.clock.now = noon + minute;
    const { image, url } = await addImage(open.parts, notebook.slug, file, { editToken }, client);
    expect(image).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f]{32}$/), notebookId: notebook.id, key: `${notebook.id}/${image.id}.jpg` },
      ...{ type: 'jpeg', width: 640, height: 480, bytes: stored.length, createdAt: noon + minute },
    });
    expect(url).toBe(`https://images.example/${image.key}`);
    expect(checked).toEqual([[file, client]]);
    const found = objects.find(image.key)!;
    expect(Buffer.from(found.bytes)).toEqual(stored);
    expect(found.headers).toEqual({ contentType: 'image/jpeg', cacheControl: 'public, max-age=31536000, immutable' });
    expect(await listImages(open.parts, notebook.slug, { editToken })).toEqual([{ image, url }]);
  });

  it('needs the right to write, and somewhere to be stored', async () => {
    const { notebook, editToken } = await open.keep();
    expect(await told(addImage(open.parts, notebook.slug, file, {}, client))).toBe('edit_token_missing');
    const off = 'images_off: Link to an image at another site instead.';
    const without = { ...open.parts, objects: undefined };
    expect(await told(addImage(without, notebook.slug, file, { editToken }, client))).toBe(off);
    expect(await told(listImages(without, notebook.slug, { editToken }))).toBe(off);
    expect(await told(deleteImage(without, notebook.slug, 'any', { editToken }))).toBe(off);
    expect(checked).toEqual([]);
  });

  it('is refused with the reason of the checker, and its place is free again', async () => {
    const { notebook, editToken } = await open.keep();
    const add = () => told(addImage(open.parts, notebook.slug, file, { editToken }, client));
    verdict = { fault: 'It is no picture.' };
    expect(await add()).toBe('image_rejected: It is no picture.');
    verdict = 'busy';
    expect(await add()).toBe('unavailable: The service is busy checking images.');
    const busy = await addImage(open.parts, notebook.slug, file, { editToken }, client).catch(error => error);
    expect(busy.extras).toMatchObject({ retryAfterSeconds: 5 });
    verdict = new Error('the process ended');
    await expect(addImage(open.parts, notebook.slug, file, { editToken }, client)).rejects.toThrow('the process ended');
    verdict = good;
    expect(await countFree(notebook, editToken)).toBe(limits.maxImagesPerNotebook);
  });

  it('is one of at most 50, and of 60 from one address', async () => {
    const { notebook, editToken } = await open.keep();
    expect(await countFree(notebook, editToken)).toBe(50);
    expect(await told(addImage(open.parts, notebook.slug, file, { editToken }, client))).toBe(
      'image_limit: A notebook holds at most 50 images.',
    );
    const other = await open.keep();
    await open.fill('imageUpload', client, rateLimits.imageUpload.max);
    expect(await told(addImage(open.parts, other.notebook.slug, file, { editToken: other.editToken }, client))).toBe(
      'rate_limited: Please try again in 10 minutes.',
    );
    expect(await told(addImage(open.parts, other.notebook.slug, file, { editToken: other.editToken }, 'other'))).toBe('ok');
    const unlimited = { ...open.parts, rateLimits: 'off' as const };
    expect(await told(addImage(unlimited, other.notebook.slug, file, { editToken: other.editToken }, client))).toBe('ok');
  });

  it('is refused where the notebook changed hands or went while it was checked', async () => {
    const { notebook, editToken } = await open.keep();
    for (const kind of ['gone', 'read_only', 'not_allowed'] as const) {
      const early = withStore({ takeUploadSlot: async () => ({ kind }) });
      const late = withStore({ addImage: async () => ({ kind }) });
      const said = await told(addImage(early, notebook.slug, file, { editToken }, client));
      expect(said).not.toBe('ok');
      expect(await told(addImage(late, notebook.slug, file, { editToken }, client))).toBe(said);
    }
    expect((await objects.list()).objects).toEqual([]);
    const slow = withStore({ addImage: async () => ({ kind: 'slot_over' }) });
    expect(await told(addImage(slow, notebook.slug, file, { editToken }, client))).toBe(
      'image_store_failed: Storing it took too long.',
    );
    expect((await objects.list()).objects).toEqual([]);
    expect(await countFree(notebook, editToken)).toBe(50);
  });
});

describe('an object store that fails', () => {
  it.each([
    [new ObjectStoreFailed('no answer'), 'image_store_failed'],
    [new ObjectStoreFailed('full', { isFull: true }), 'unavailable: The image store is full right now.'],
  ])('has the object deleted that it may have taken, now and a minute later (%s)', async (failure, said) => {
    const { notebook, editToken } = await open.keep();
    const keys: string[] = [];
    const put: ObjectStore['put'] = async (key, bytes, headers) => {
      keys.push(key);
      await objects.put(key, bytes, headers);
      throw failure;
    };
    const error = await addImage(withObjects({ put }), notebook.slug, file, { editToken }, client).catch(error => error);
    expect(await told(Promise.reject(error))).toBe(said);
    if (failure.isFull) expect(error.extras).toMatchObject({ retryAfterSeconds: 60 });
    expect(objects.find(keys[0]!)).toBeUndefined();
    expect(await open.parts.store.listObjectDeletions(noon + minute - 1, 10)).toEqual([]);
    expect(await open.parts.store.listObjectDeletions(noon + minute, 10)).toEqual(keys);
    expect(await listImages(open.parts, notebook.slug, { editToken })).toEqual([]);
    expect(await countFree(notebook, editToken)).toBe(50);
  });

  it('in a way that is no answer of it is told as it is', async () => {
    const { notebook, editToken } = await open.keep();
    const put = () => Promise.reject(new TypeError('x is not a function'));
    await expect(addImage(withObjects({ put }), notebook.slug, file, { editToken }, client)).rejects.toThrow(TypeError);
    expect(await countFree(notebook, editToken)).toBe(50);
  });
});

it('an object that cannot be deleted now is queued to be deleted at the next look', async () => {
  const { notebook, editToken } = await open.keep();
  const { store, objects: unreachable } = withObjects({ delete: () => Promise.reject(new ObjectStoreFailed('no answer')) });
  const parts = { ...withStore({ addImage: async () => ({ kind: 'slot_over' }) }), objects: unreachable };
  expect(await told(addImage(parts, notebook.slug, file, { editToken }, client))).not.toBe('ok');
  const [left] = (await objects.list()).objects;
  expect(await store.listObjectDeletions(noon, 10)).toEqual([left!.key]);
});

describe('a record whose answer is lost', () => {
  it('keeps its object where it stands, and loses it where it does not', async () => {
    const { notebook, editToken } = await open.keep();
    const lost = new Error('the connection broke');
    const earlier = await addImage(open.parts, notebook.slug, file, { editToken }, client);
    const stands: Parts['store']['addImage'] = async (...record) => {
      await open.parts.store.addImage(...record);
      throw lost;
    };
    await expect(addImage(withStore({ addImage: stands }), notebook.slug, file, { editToken }, client)).rejects.toBe(lost);
    const kept = (await listImages(open.parts, notebook.slug, { editToken })).map(({ image }) => image.key);
    expect([kept.length, kept[1]]).toEqual([2, earlier.image.key]);
    expect((await objects.list()).objects.map(({ key }) => key)).toEqual(kept.toSorted());
    const never = () => Promise.reject(lost);
    await expect(addImage(withStore({ addImage: never }), notebook.slug, file, { editToken }, client)).rejects.toBe(lost);
    expect((await objects.list()).objects).toHaveLength(2);
    expect(await countFree(notebook, editToken)).toBe(50);
  });
});

describe('an image that is deleted', () => {
  it('is gone with its object, and is not there a second time', async () => {
    const { notebook, editToken } = await open.keep();
    const { image } = await addImage(open.parts, notebook.slug, file, { editToken }, client);
    expect(await told(deleteImage(open.parts, notebook.slug, image.id, {}))).toBe('edit_token_missing');
    expect(await told(deleteImage(open.parts, notebook.slug, image.id, { editToken }))).toBe('ok');
    expect([objects.find(image.key), await listImages(open.parts, notebook.slug, { editToken })]).toEqual([undefined, []]);
    expect(await open.parts.store.listObjectDeletions(noon + day, 10)).toEqual([]);
    expect(await told(deleteImage(open.parts, notebook.slug, image.id, { editToken }))).toBe('not_found');
  });

  it('stays where the notebook is read-only', async () => {
    const { notebook, editToken } = await open.keep();
    const { image } = await addImage(open.parts, notebook.slug, file, { editToken }, client);
    const readOnly = withStore({ deleteImage: async () => ({ kind: 'read_only' }) });
    expect(await told(deleteImage(readOnly, notebook.slug, image.id, { editToken }))).toBe('read_only');
    expect(objects.find(image.key)).toBeDefined();
  });
});

describe('the file of an image', () => {
  const read = async (parts: Parts, key: string) => {
    const found = await openImageFile(parts, key);
    return text(Readable.from(await found.open()));
  };

  it('is opened by its key alone, for as long as its notebook may be seen', async () => {
    const { notebook, editToken } = await open.keep({ visibility: 'private', expiresAt: noon + minute });
    const { image } = await addImage(open.parts, notebook.slug, file, { editToken }, client);
    const found = await openImageFile(open.parts, image.key);
    expect(found).toMatchObject({
      ...{ image, contentType: 'image/jpeg', cacheControl: 'public, max-age=31536000, immutable' },
    });
    expect(await read(open.parts, image.key)).toBe(stored.toString());
    await open.parts.store.takeDown(notebook.slug, noon);
    expect(await told(read(open.parts, image.key))).toBe('taken_down');
    await open.parts.store.takeDown(notebook.slug, null);
    open.clock.now = noon + minute;
    expect(await told(read(open.parts, image.key))).toBe('not_found');
  });

  it('is not there where it never was, where it is served elsewhere, and where it went', async () => {
    const { notebook, editToken } = await open.keep();
    const { image } = await addImage(open.parts, notebook.slug, file, { editToken }, client);
    const asked: string[] = [];
    const parts = withStore({
      findImage: async key => {
        asked.push(key);
        return open.parts.store.findImage(key);
      },
    });
    const unknown = image.key.replace(/[0-9a-f]{32}\./, `${'0'.repeat(32)}.`);
    for (const key of ['../secret', unknown]) expect(await told(read(parts, key))).toBe('not_found');
    // What could not be a key is not even looked for.
    expect(asked).toEqual([unknown]);
    for (const other of [undefined, createMemoryStore()]) {
      expect(await told(read({ ...parts, objects: other }, image.key))).toBe('not_found');
    }
    expect(asked).toEqual([unknown]);
    await objects.delete([image.key]);
    expect(await told(read(open.parts, image.key))).toBe('not_found');
  });

  it('that cannot be read is unavailable', async () => {
    const { notebook, editToken } = await open.keep();
    const { image } = await addImage(open.parts, notebook.slug, file, { editToken }, client);
    const broken = (error: Error) => withObjects({ get: () => Promise.reject(error) });
    expect(await told(read(broken(new ObjectStoreFailed('no answer')), image.key))).toBe(
      'unavailable: The image could not be read.',
    );
    await expect(read(broken(new TypeError('x is not a function')), image.key)).rejects.toThrow(TypeError);
  });
});
