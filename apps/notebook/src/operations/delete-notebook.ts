import { limits } from '../limits.ts';
import { deleteQueuedObjectsOf } from './delete-queued-objects.ts';
import type { Needs } from './parts.ts';
import { onceMore, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireOwner } from './require-access.ts';

const freedSlugMs = limits.freedSlugDays * 86_400_000;

/**
 * When this resolves, the notebook with everything in it is gone, image objects included; its slug stays taken for 90 days, so old links
 * lead nowhere new.
 */
export const deleteNotebook = onceMore(
  async (
    parts: Needs<'store' | 'objects' | 'secretKey' | 'now'>,
    slug: string,
    presented: PresentedCredentials,
  ): Promise<void> => {
    const { owner } = await requireOwner(parts, slug, presented);
    const deleted = await parts.store.deleteNotebook(owner, parts.now() + freedSlugMs);
    if (!deleted) await refuseGone(() => requireOwner(parts, slug, presented));
    await deleteQueuedObjectsOf(parts, owner.notebookId);
  },
);
