import { type ObjectStore, ObjectStoreFailed, ObjectsStayed } from '../objects/object-store.ts';
import type { Store } from '../store/store.ts';

export interface QueueParts {
  readonly store: Pick<
    Store,
    'listObjectDeletions' | 'postponeObjectDeletions' | 'forgetObjectDeletions' | 'queueAbandonedUploads' | 'listQueuedObjectsOf'
  >;
  readonly objects: ObjectStore | undefined;
  readonly now: () => number;
}

export interface QueueResult {
  readonly deleted: number;
  /** Why something is left; it is due again at the next look. */
  readonly failed?: string;
}

const atOnce = 500;
/** Less than the minute between two looks at the queue: what failed at one is due at the next. */
const againMs = 50_000;

/** An owner who deletes waits no longer for an object store that does not answer. */
const answerWithinMs = 5_000;

/**
 * Deletes what is queued and due from the object store. What it is about to try it postpones first: another process does
 * not try the same meanwhile, and one that dies at it, or a store out of reach, leaves it queued.
 */
export async function deleteQueuedObjects({ store, objects, now }: QueueParts, signal?: AbortSignal): Promise<QueueResult> {
  if (!objects) return { deleted: 0 };
  while ((await store.queueAbandonedUploads(now(), atOnce)) === atOnce) signal?.throwIfAborted();
  let deleted = 0;
  let stayed: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const keys = await store.listObjectDeletions(now(), atOnce);
    if (keys.length === 0) return { deleted, ...(stayed !== undefined && { failed: stayed }) };
    await store.postponeObjectDeletions(keys, now() + againMs);
    try {
      const gone = await deleteAll(objects, keys, signal);
      await store.forgetObjectDeletions(gone.keys);
      deleted += gone.keys.length;
      stayed ??= gone.stayed;
    } catch (error) {
      if (!(error instanceof ObjectStoreFailed)) throw error;
      return { deleted, failed: error.message };
    }
  }
}

/** What is gone of them; one that cannot be deleted keeps none of the others. */
async function deleteAll(
  objects: ObjectStore,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly keys: readonly string[]; readonly stayed?: string }> {
  try {
    await objects.delete(keys, signal);
    return { keys };
  } catch (error) {
    if (!(error instanceof ObjectsStayed)) throw error;
    const left = new Set(error.keys);
    return { keys: keys.filter(key => !left.has(key)), stayed: error.message };
  }
}

/** The objects of a notebook that is deleted already, at once, so that they are gone when its owner is answered (spec 1 §3). */
export async function deleteQueuedObjectsOf(parts: QueueParts, notebookId: string): Promise<void> {
  await deleteNow(parts, () => parts.store.listQueuedObjectsOf(notebookId));
}

/**
 * Deletes queued objects without waiting for their turn. Never throws: whatever the answer to a person is, it stands, and what is not
 * done here stays in the queue, whose next look tells of it.
 */
export async function deleteNow({ store, objects }: QueueParts, findKeys: () => Promise<readonly string[]>): Promise<void> {
  if (!objects) return;
  try {
    const keys = await findKeys();
    if (keys.length === 0) return;
    const gone = await deleteAll(objects, keys, AbortSignal.timeout(answerWithinMs));
    await store.forgetObjectDeletions(gone.keys);
  } catch {}
}

/** What was deleted, as a sentence. */
export function describeQueue({ deleted, failed }: QueueResult): string {
  const done = `Deleted ${deleted} objects of the image store.`;
  return failed === undefined ? done : `${done} The others stay queued: ${failed}.`;
}
