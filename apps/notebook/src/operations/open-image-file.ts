import { Refusal } from '../errors.ts';
import { decideImageAccess } from '../model/access.ts';
import { contentTypeOf, type Image, imageCacheControl, isObjectKey } from '../model/image.ts';
import { ObjectStoreFailed } from '../objects/object-store.ts';
import type { Needs } from './parts.ts';

export interface ImageFile {
  readonly image: Image;
  /** The content type that it was stored with (spec 1 §2 "Image"). */
  readonly contentType: string;
  readonly cacheControl: string;
  /** May be called once. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * An image in the service's own folder. Its address is the proof, as in an object store: an `<img>` sends no edit token. But images of
 * expired, deleted or taken-down notebooks are gone at once.
 * @throws Refusal `not_found`, `taken_down`, `unavailable`
 */
export async function openImageFile(parts: Needs<'store' | 'objects' | 'now'>, key: string): Promise<ImageFile> {
  const { objects, store, now } = parts;
  if (!objects?.isServedHere || !isObjectKey(key)) throw new Refusal('not_found');
  const found = await store.findImage(key);
  const access = decideImageAccess(found?.notebook, now());
  if (access === 'taken-down') throw new Refusal('taken_down');
  if (!found || access === 'missing') throw new Refusal('not_found');
  const { image } = found;
  const open = async () => {
    const bytes = await objects.get(key).catch(error => {
      if (!(error instanceof ObjectStoreFailed)) throw error;
      throw new Refusal('unavailable', { detail: 'The image could not be read.' }, { cause: error });
    });
    if (!bytes) throw new Refusal('not_found');
    return bytes;
  };
  return { image, contentType: contentTypeOf(image.type), cacheControl: imageCacheControl, open };
}
