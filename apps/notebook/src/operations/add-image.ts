import { Refusal, rateLimited } from '../errors.ts';
import type { ImageVerdict } from '../images/image-checker.ts';
import { limits, rateLimits } from '../limits.ts';
import { contentTypeOf, type Image, imageCacheControl, objectKey } from '../model/image.ts';
import type { ReadImage } from '../model/image-type.ts';
import type { Writer } from '../model/rights.ts';
import { type ObjectStore, ObjectStoreFailed } from '../objects/object-store.ts';
import { deleteNow } from './delete-queued-objects.ts';
import type { Needs, Parts } from './parts.ts';
import { onceMore, refusalOfWrite, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireWriter } from './require-access.ts';

export interface StoredImage {
  readonly image: Image;
  /** The address from which readers fetch it. */
  readonly url: string;
}

const imageIdBytes = 16;
const minuteMs = 60_000;
/** The operator has to make room first. */
const noRoom = { retryAfterSeconds: 60, detail: 'The image store is full right now.' };

/**
 * Slot, check, store, record, in this order (spec 1 §2 "Image pipeline"): an image that is not recorded is not kept. If the process dies on
 * the way, the slot later tells where an unrecorded object may be.
 * @param clientKey the address that the limit counts
 */
export const addImage = onceMore(
  async (
    parts: Needs<'store' | 'objects' | 'imageChecker' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'>,
    slug: string,
    file: Uint8Array,
    presented: PresentedCredentials,
    clientKey: string,
  ): Promise<StoredImage> => {
    const check = () => requireWriter(parts, slug, presented);
    const { writer } = await check();
    const objects = requireImages(parts);
    const id = Buffer.from(parts.randomBytes(imageIdBytes)).toString('hex');
    await takeSlot(parts, writer, id, clientKey, check);
    const read = await checkFile(parts, file, clientKey).catch(async error => {
      await parts.store.freeUploadSlot(id);
      throw error;
    });
    const { type, width, height, bytes } = read;
    const key = objectKey(writer.notebookId, id, type);
    const size = { bytes: bytes.length, width, height };
    const image: Image = { id, notebookId: writer.notebookId, key, type, ...size, createdAt: parts.now() };
    await putObject(parts, objects, image, bytes);
    await record(parts, writer, image, check);
    return { image, url: objects.publicUrl(key) };
  },
);

/** @throws Refusal `images_off` */
export function requireImages({ objects }: Needs<'objects'>): ObjectStore {
  if (!objects) throw new Refusal('images_off', { detail: 'Link to an image at another site instead.' });
  return objects;
}

async function takeSlot(
  parts: Needs<'store' | 'now' | 'rateLimits'>,
  writer: Writer,
  id: string,
  clientKey: string,
  check: () => Promise<unknown>,
): Promise<void> {
  const rate = parts.rateLimits === 'off' ? undefined : { name: 'imageUpload', key: clientKey, ...rateLimits.imageUpload };
  const slot = await parts.store.takeUploadSlot(writer, id, rate, parts.now());
  switch (slot.kind) {
    case 'taken':
      return;
    case 'image_limit':
      throw new Refusal('image_limit', { detail: `A notebook holds at most ${limits.maxImagesPerNotebook} images.` });
    case 'rate_limited':
      throw rateLimited(slot.retryAfterSeconds);
    case 'gone':
      return refuseGone(check);
    default:
      throw refusalOfWrite(slot);
  }
}

async function checkFile(parts: Needs<'imageChecker'>, file: Uint8Array, clientKey: string): Promise<ReadImage> {
  const verdict: ImageVerdict | 'busy' = await parts.imageChecker.check(file, clientKey);
  if (verdict === 'busy')
    throw new Refusal('unavailable', { retryAfterSeconds: 5, detail: 'The service is busy checking images.' });
  if ('fault' in verdict) throw new Refusal('image_rejected', { detail: verdict.fault });
  return verdict;
}

async function putObject(
  parts: Needs<'store' | 'objects' | 'now'>,
  objects: ObjectStore,
  image: Image,
  bytes: Uint8Array,
): Promise<void> {
  try {
    await objects.put(image.key, bytes, { contentType: contentTypeOf(image.type), cacheControl: imageCacheControl });
  } catch (error) {
    // The store may have it all the same, or accept it even after we gave up, so it is deleted once more a minute later.
    await undo(parts, image);
    await parts.store.queueObjectDeletions([image.key], parts.now() + minuteMs);
    if (!(error instanceof ObjectStoreFailed)) throw error;
    const cause = { cause: error };
    throw error.isFull ? new Refusal('unavailable', noRoom, cause) : new Refusal('image_store_failed', {}, cause);
  }
}

async function record(
  parts: Needs<'store' | 'objects' | 'now'>,
  writer: Writer,
  image: Image,
  check: () => Promise<unknown>,
): Promise<void> {
  let answer: Awaited<ReturnType<Parts['store']['addImage']>>;
  try {
    answer = await parts.store.addImage(writer, image, parts.now());
  } catch (error) {
    await deleteUnlessRecorded(parts, image);
    throw error;
  }
  if (answer.kind === 'added') return;
  await undo(parts, image);
  if (answer.kind === 'slot_over') throw new Refusal('image_store_failed', { detail: 'Storing it took too long.' });
  if (answer.kind === 'gone') return refuseGone(check);
  throw refusalOfWrite(answer);
}

/** A write that failed may have been committed when only its answer was lost: the record itself tells. */
async function deleteUnlessRecorded(parts: Needs<'store' | 'objects' | 'now'>, image: Image): Promise<void> {
  const images = await parts.store.listImages(image.notebookId);
  if (!images.some(({ id }) => id === image.id)) await undo(parts, image);
}

/** Deletes the object now, or through the queue while the store is unreachable; the slot becomes free in any case. */
async function undo(parts: Needs<'store' | 'objects' | 'now'>, { id, key }: Image): Promise<void> {
  await parts.store.queueObjectDeletions([key], parts.now());
  await parts.store.freeUploadSlot(id);
  await deleteNow(parts, async () => [key]);
}
