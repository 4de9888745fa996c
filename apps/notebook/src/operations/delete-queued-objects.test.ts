import { expect, it } from 'vitest';
import { ObjectStoreFailed } from '../objects/object-store.ts';
import { deleteNow, deleteQueuedObjects, describeQueue, type QueueParts } from './delete-queued-objects.ts';

const now = 1_000_000;

/** A queue that hands out these portions and records everything done with it. */
function queue(
  portions: string[][],
  { abandoned = [0], remove = async () => {} }: { abandoned?: number[]; remove?: () => Promise<void> } = {},
) {
  const done: unknown[][] = [];
  const note = (...what: unknown[]) => {
    done.push(what);
  };
  const parts = {
    now: () => now,
    store: {
      queueAbandonedUploads: async (at: number, most: number) => {
        note('abandoned', at, most);
        return abandoned.shift() ?? 0;
      },
      listObjectDeletions: async () => portions.shift() ?? [],
      postponeObjectDeletions: async (keys: string[], until: number) => note('postpone', keys, until - now),
      dequeueObjectDeletions: async (keys: string[]) => note('dequeue', keys),
    },
    objects: {
      delete: async (keys: string[]) => {
        note('delete', keys);
        await remove();
      },
    },
  } as unknown as QueueParts;
  return { parts, done };
}

const failing = (error: Error) => async () => {
  throw error;
};

it('postpones what it is about to try, and dequeues what is deleted', async () => {
  const { parts, done } = queue([['a', 'b'], ['c']]);
  expect(await deleteQueuedObjects(parts)).toEqual({ deleted: 3 });
  expect(done).toEqual([
    ['abandoned', now, 500],
    ['postpone', ['a', 'b'], 50_000],
    ['delete', ['a', 'b']],
    ['dequeue', ['a', 'b']],
    ['postpone', ['c'], 50_000],
    ['delete', ['c']],
    ['dequeue', ['c']],
  ]);
});

it('queues abandoned uploads until there are no more', async () => {
  const { parts, done } = queue([], { abandoned: [500, 500, 3] });
  await deleteQueuedObjects(parts);
  expect(done.length).toBe(3);
  const stopped = queue([['a']], { abandoned: [500, 500] });
  await expect(deleteQueuedObjects(stopped.parts, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  expect(stopped.done.length).toBe(1);
});

it('leaves queued what the object store could not delete, and says why', async () => {
  const { parts, done } = queue([['a'], ['b']], { remove: failing(new ObjectStoreFailed('out of reach')) });
  const result = await deleteQueuedObjects(parts);
  expect(result).toEqual({ deleted: 0, failed: new ObjectStoreFailed('out of reach').message });
  expect(done.at(-1)).toEqual(['delete', ['a']]);
  await expect(deleteQueuedObjects(queue([['a']], { remove: failing(new TypeError('a fault')) }).parts)).rejects.toThrow(
    'a fault',
  );
});

it('does nothing without an object store, and stops when told', async () => {
  const { parts, done } = queue([['a']]);
  expect(await deleteQueuedObjects({ ...parts, objects: undefined })).toEqual({ deleted: 0 });
  await deleteNow({ ...parts, objects: undefined }, async () => ['a']);
  expect(done).toEqual([]);
  await expect(deleteQueuedObjects(parts, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  expect(done).toEqual([['abandoned', now, 500]]);
});

it('at once: deletes what is found, and never throws', async () => {
  const { parts, done } = queue([]);
  await deleteNow(parts, async () => ['a']);
  await deleteNow(parts, async () => []);
  expect(done).toEqual([
    ['delete', ['a']],
    ['dequeue', ['a']],
  ]);
  await deleteNow(queue([], { remove: failing(new Error('down')) }).parts, async () => ['a']);
});

it('tells what became of it', () => {
  expect(describeQueue({ deleted: 2 })).toBe('Deleted 2 objects of the image store.');
  expect(describeQueue({ deleted: 2, failed: 'out of reach' })).toBe(
    'Deleted 2 objects of the image store. The others stay queued: out of reach.',
  );
});
