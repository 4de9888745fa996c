import { requireImages, type StoredImage } from './add-image.ts';
import type { Needs } from './parts.ts';
import { type PresentedCredentials, readAsOwner } from './require-access.ts';

/** This notebook's images, newest first. */
export async function listImages(
  parts: Needs<'store' | 'objects' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<StoredImage[]> {
  return readAsOwner(parts, slug, presented, async id => {
    const objects = requireImages(parts);
    const images = await parts.store.listImages(id);
    return images.map(image => ({ image, url: objects.publicUrl(image.key) }));
  });
}
