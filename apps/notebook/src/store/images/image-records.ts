import type { Image } from '../../model/image.ts';
import type { Notebook } from '../../model/notebook.ts';
import type { Owner, Writer } from '../../model/rights.ts';
import type { RateSlot } from '../kept/rate-slot.ts';
import type { WriteRefused } from '../write-refused.ts';

/** Images of notebooks, and the objects that are still to be deleted from the object store. */
export interface ImageRecords {
  /**
   * Before an image's bytes are looked at: a slot of the notebook (its images and its slots together are at most 50) and one of the
   * address's window: both or neither, each checked and counted in one SQL statement (spec 1 §8). A slot that is neither filled nor
   * freed within ten minutes frees itself.
   * @param rate undefined: rate limits are switched off
   */
  takeUploadSlot(by: Writer, imageId: string, rate: RateSlot | undefined, now: number): Promise<UploadSlotResult>;
  /** The image was refused: the notebook's slot is free again, the address's count stays. */
  freeUploadSlot(imageId: string): Promise<void>;
  /** The object is stored: its slot becomes a record. Anything but `added`: no record, and the caller deletes the object. */
  addImage(by: Writer, image: Image, now: number): Promise<WriteRefused | { kind: 'added' } | { kind: 'slot_over' }>;
  /** Newest first. */
  listImages(notebookId: string): Promise<Image[]>;
  /** By the object's key, with what decides whether the notebook is still there. */
  findImage(key: string): Promise<FoundImage | undefined>;
  /** The record goes and its object is queued for deletion, in one transaction. */
  deleteImage(
    by: Owner,
    imageId: string,
    now: number,
  ): Promise<WriteRefused | { kind: 'deleted'; key: string } | { kind: 'image_missing' }>;

  /**
   * Objects whose records are gone already. Deleting a notebook, by its owner or by the purge, queues its objects in the same
   * transaction; whoever deletes them from the object store forgets them here afterwards, so a crash in between loses none.
   */
  queueObjectDeletions(keys: readonly string[], now: number): Promise<void>;
  /** The queued keys of one notebook (all of them; at most some hundreds). */
  listQueuedObjectsOf(notebookId: string): Promise<string[]>;
  /** Those due, oldest first. */
  listObjectDeletions(now: number, limit: number): Promise<string[]>;
  postponeObjectDeletions(keys: readonly string[], notBefore: number): Promise<void>;
  forgetObjectDeletions(keys: readonly string[]): Promise<void>;
  /**
   * Slots that are over, because a process died at its upload: they go, and wherever such an upload may have left an object is queued.
   * Answers how many went, at most `limit`.
   */
  queueAbandonedUploads(now: number, limit: number): Promise<number>;

  /** Which of these ids are notebooks of the database; for the sweep, in batches. */
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
