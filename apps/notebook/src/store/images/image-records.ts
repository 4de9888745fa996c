import type { Image } from '../../model/image.ts';
import type { Notebook } from '../../model/notebook.ts';
import type { Owner, Writer } from '../../model/rights.ts';
import type { RateSlot } from '../kept/rate-slot.ts';
import type { WriteRefused } from '../write-refused.ts';

/** Images of notebooks, and the objects that are still to be deleted from the object store. */
export interface ImageRecords {
  /**
   * Called before an image's bytes are examined. Takes one of the notebook's slots (images and slots together: at most 50) and one use of
   * the address's rate limit: both or neither, each checked and counted in one SQL statement (spec 1 §8). A slot that is neither filled nor
   * freed expires after ten minutes.
   * @param rate undefined: rate limits are switched off
   */
  takeUploadSlot(by: Writer, imageId: string, rate: RateSlot | undefined, now: number): Promise<UploadSlotResult>;
  /** For an image that was refused: frees the notebook's slot; the address's count stays. */
  freeUploadSlot(imageId: string): Promise<void>;
  /**
   * For an image that is in the object store: turns its slot into a record. Unless the answer is `added`, the caller deletes the object.
   */
  addImage(by: Writer, image: Image, now: number): Promise<WriteRefused | { kind: 'added' } | { kind: 'slot_over' }>;
  /** Newest first. */
  listImages(notebookId: string): Promise<Image[]>;
  /** Finds an image by its object key, with the columns that decide whether its notebook is still available. */
  findImage(key: string): Promise<FoundImage | undefined>;
  /** Deletes the record and queues its object for deletion, in one transaction. */
  deleteImage(
    by: Owner,
    imageId: string,
    now: number,
  ): Promise<WriteRefused | { kind: 'deleted'; key: string } | { kind: 'image_missing' }>;

  /**
   * Queues objects whose records are gone. Deleting a notebook, by its owner or by the purge, queues its objects in the same transaction.
   * They leave the queue only after they were deleted from the object store, so a crash in between loses none.
   */
  queueObjectDeletions(keys: readonly string[], now: number): Promise<void>;
  /** All queued keys of one notebook: at most some hundreds. */
  listQueuedObjectsOf(notebookId: string): Promise<string[]>;
  /** The keys that are due, oldest first. */
  listObjectDeletions(now: number, limit: number): Promise<string[]>;
  postponeObjectDeletions(keys: readonly string[], notBefore: number): Promise<void>;
  dequeueObjectDeletions(keys: readonly string[]): Promise<void>;
  /**
   * Deletes slots that expired because a process died during the upload, and queues the objects that such uploads may have left.
   * @returns how many slots were deleted, at most `limit`
   */
  queueAbandonedUploads(now: number, limit: number): Promise<number>;

  /** Those of the ids that exist as notebooks; for the sweep, in batches. */
  findLivingNotebooks(ids: readonly string[]): Promise<Set<string>>;
  hasNotebooks(): Promise<boolean>;
}

export interface FoundImage {
  readonly image: Image;
  readonly notebook: Pick<Notebook, 'expiresAt' | 'takenDownAt'>;
}

export type UploadSlotResult =
  | WriteRefused
  | { kind: 'taken' }
  | { kind: 'image_limit' }
  | { kind: 'rate_limited'; retryAfterSeconds: number };
