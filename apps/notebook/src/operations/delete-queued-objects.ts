import { type ObjectStore, ObjectStoreFailed, ObjectsNotDeleted } from '../objects/object-store.ts';
import type { Store } from '../store/store.ts';

export interface QueueParts {
  readonly store: Pick<
    Store,
    'listObjectDeletions' | 'postponeObjectDeletions' | 'dequeueObjectDeletions' | 'queueAbandonedUploads' | 'listQueuedObjectsOf'
  >;
  readonly objects: ObjectStore | undefined;
  readonly now: () => number;
}

export interface QueueResult {
  readonly deleted: number;
  /** Why something was left; it is due again on the next run. */
  readonly failed?: string;
}

const atOnce = 500;
/** Less than the minute between two runs, so that an object that failed in one is due in the next. */
const againMs = 50_000;

/** The longest an owner who deletes waits for an object store that does not answer. */
const answerWithinMs = 5_000;

/**
 * Deletes queued objects that are due from the object store. It postpones a batch before trying it: no other process tries the same batch
 * meanwhile, and the batch stays queued if the process dies or the store is unreachable.
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
      await store.dequeueObjectDeletions(gone.keys);
      deleted += gone.keys.length;
      stayed ??= gone.stayed;
    } catch (error) {
      if (!(error instanceof ObjectStoreFailed)) throw error;
      return { deleted, failed: error.message };
    }
  }
}

/** The keys that are gone. An object that cannot be deleted does not hold up the others. */
async function deleteAll(
  objects: ObjectStore,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly keys: readonly string[]; readonly stayed?: string }> {
  try {
    await objects.delete(keys, signal);
    return { keys };
  } catch (error) {
    if (!(error instanceof ObjectsNotDeleted)) throw error;
    const left = new Set(error.keys);
    return { keys: keys.filter(key => !left.has(key)), stayed: error.message };
  }
}

/** Deletes the objects of a deleted notebook at once, so that they are gone when its owner gets the answer (spec 1 §3). */
export async function deleteQueuedObjectsOf(parts: QueueParts, notebookId: string): Promise<void> {
  await deleteNow(parts, () => parts.store.listQueuedObjectsOf(notebookId));
}

/**
 * Deletes queued objects without waiting for their turn. Never throws: the answer to the person does not depend on it, and objects that are
 * not deleted here stay in the queue, whose next run reports them.
 */
export async function deleteNow({ store, objects }: QueueParts, findKeys: () => Promise<readonly string[]>): Promise<void> {
  if (!objects) return;
  try {
    const keys = await findKeys();
    if (keys.length === 0) return;
    const gone = await deleteAll(objects, keys, AbortSignal.timeout(answerWithinMs));
    await store.dequeueObjectDeletions(gone.keys);
  } catch {}
}

/** The result as a sentence. */
export function describeQueue({ deleted, failed }: QueueResult): string {
  const done = `Deleted ${deleted} objects of the image store.`;
  return failed === undefined ? done : `${done} The others stay queued: ${failed}.`;
}
