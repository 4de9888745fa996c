import { limits } from '../../limits.ts';
import { type Image, possibleKeys } from '../../model/image.ts';
import type { Owner, Writer } from '../../model/rights.ts';
import { all, each, first } from '../engine.ts';
import { secondsToWait } from '../kept/kept-statements.ts';
import { lockForContent } from '../notebooks/write-rights.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { RateSlot, WriteRefused } from '../store.ts';
import type { UploadSlotResult } from './image-records.ts';

/** Objects queued by a deletion are due at once, before any that were postponed. */
const atOnce = 0;

/**
 * Takes the notebook's lock first and then counts, each count in its own statement: PostgreSQL gives every statement its own snapshot, so
 * the count of images includes everything that was committed while this one waited for the lock.
 */
export function* takeUploadSlot(
  { notebooks, images, kept }: Statements,
  by: Writer,
  imageId: string,
  rate: RateSlot | undefined,
  now: number,
): Steps<UploadSlotResult> {
  const notebook = yield* lockForContent(notebooks, by, now);
  if ('kind' in notebook) return notebook;
  const overAt = now + limits.uploadSlotMinutes * 60_000;
  const slot = { image: imageId, notebook: notebook.id, overAt, now, max: limits.maxImagesPerNotebook };
  if (!(yield* first(images.takeSlot, slot))) return { kind: 'image_limit' };
  if (!rate) return { kind: 'taken' };
  const { name, key, max, windowSeconds } = rate;
  const taken = yield* first(kept.takeSlot, { name, key, max, now, endsAt: now + windowSeconds * 1000 });
  if (taken && taken.used <= max) return { kind: 'taken' };
  yield images.freeSlot.with({ image: imageId });
  return {
    kind: 'rate_limited',
    retryAfterSeconds: secondsToWait(yield* first(kept.slotEnd, { name, key }), now, windowSeconds),
  };
}

export function* addImage(
  { notebooks, images }: Statements,
  by: Writer,
  image: Image,
  now: number,
): Steps<WriteRefused | { kind: 'added' | 'slot_over' }> {
  const notebook = yield* lockForContent(notebooks, by, now);
  if ('kind' in notebook) return notebook;
  if (image.notebookId !== notebook.id) throw new Error('The image belongs to another notebook.');
  if (!(yield* first(images.fillSlot, { image: image.id, notebook: notebook.id, now }))) return { kind: 'slot_over' };
  yield images.insert.with(image);
  return { kind: 'added' };
}

export function* deleteImage(
  { notebooks, images, deletions }: Statements,
  by: Owner,
  imageId: string,
  now: number,
): Steps<WriteRefused | { kind: 'deleted'; key: string } | { kind: 'image_missing' }> {
  const notebook = yield* lockForContent(notebooks, by, now);
  if ('kind' in notebook) return notebook;
  const deleted = yield* first(images.delete, { notebook: notebook.id, image: imageId });
  if (!deleted) return { kind: 'image_missing' };
  yield* each(deletions.queue([deleted.key], now));
  return { kind: 'deleted', key: deleted.key };
}

/**
 * Deletes a notebook's rows and queues its objects, including those that an upload under way may have stored or may still store. `remove`
 * returns what it deleted; when it deletes nothing, nothing is queued.
 */
export function* removeWithObjects<Row>(
  { images, deletions }: Statements,
  notebook: string,
  remove: () => Steps<Row | undefined>,
): Steps<Row | undefined> {
  const objects = yield* all(images.objectsOf, { notebook });
  const removed = yield* remove();
  if (removed === undefined) return undefined;
  const keys = objects.flatMap(({ key, underWay }) => (underWay === null ? key : possibleKeys(notebook, underWay)));
  yield* each(deletions.queue(keys, atOnce));
  return removed;
}

export function* queueAbandonedUploads({ images, deletions }: Statements, now: number, limit: number): Steps<number> {
  const over = [...(yield* all(images.dropOverSlots, { now, limit }))];
  if (over.length < limit) over.push(...(yield* all(images.dropImpossibleSlots, { now, limit: limit - over.length })));
  const keys = over.flatMap(({ image, notebook }) => possibleKeys(notebook, image));
  yield* each(deletions.queue(keys, now));
  return over.length;
}
