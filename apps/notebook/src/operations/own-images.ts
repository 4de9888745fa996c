import { type Image, identifyImage } from '../model/image.ts';
import type { ObjectStore } from '../objects/object-store.ts';

/** A notebook's images by the addresses that its pages show them with, however those are spelled. */
export class OwnImages {
  readonly #byAddress: ReadonlyMap<string, Image>;

  constructor(objects: Pick<ObjectStore, 'publicUrl'> | undefined, images: readonly Image[]) {
    this.#byAddress = new Map(objects && images.map(image => [identifyImage(objects.publicUrl(image.key)), image]));
  }

  find(address: string): Image | undefined {
    return this.#byAddress.size === 0 ? undefined : this.#byAddress.get(identifyImage(address));
  }
}

/**
 * All bytes of an image, read before any is sent; undefined when the store does not deliver it, or not as long as its record says: a
 * connection that ends early would leave half a picture.
 */
export async function readImage(
  objects: Pick<ObjectStore, 'get'>,
  { key, bytes }: Image,
  signal: AbortSignal,
): Promise<readonly Uint8Array[] | undefined> {
  const pieces: Uint8Array[] = [];
  let read = 0;
  try {
    for await (const piece of (await objects.get(key, signal)) ?? []) {
      read += piece.byteLength;
      if (read > bytes) return undefined;
      pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  return read === bytes ? pieces : undefined;
}
