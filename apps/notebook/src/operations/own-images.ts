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
