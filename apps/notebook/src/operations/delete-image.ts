import { Refusal } from '../errors.ts';
import { requireImages } from './add-image.ts';
import { deleteNow } from './delete-queued-objects.ts';
import type { Needs } from './parts.ts';
import { onceMore, refusalOfWrite, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireOwner } from './require-access.ts';

/**
 * When this resolves, the record is gone and its object too; while the object store is unreachable, the object stays queued and goes later.
 */
export const deleteImage = onceMore(
  async (
    parts: Needs<'store' | 'objects' | 'secretKey' | 'now'>,
    slug: string,
    imageId: string,
    presented: PresentedCredentials,
  ): Promise<void> => {
    const { owner } = await requireOwner(parts, slug, presented);
    requireImages(parts);
    const answer = await parts.store.deleteImage(owner, imageId, parts.now());
    if (answer.kind === 'image_missing') throw new Refusal('not_found');
    if (answer.kind === 'gone') return refuseGone(() => requireOwner(parts, slug, presented));
    if (answer.kind !== 'deleted') throw refusalOfWrite(answer);
    await deleteNow(parts, async () => [answer.key]);
  },
);
