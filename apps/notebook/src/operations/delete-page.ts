import { Refusal } from '../errors.ts';
import { staleRevision } from './change-page.ts';
import type { Needs } from './parts.ts';
import { onceMore, refusalOfWrite, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireOwner } from './require-access.ts';
import { writeSlot } from './require-rate-slot.ts';

/** @param expectedRevision from `If-Match`, so that newer text of others is not deleted; undefined: deletes any revision */
export const deletePage = onceMore(
  async (
    parts: Needs<'store' | 'secretKey' | 'now' | 'rateLimits'>,
    at: { readonly slug: string; readonly pageId: string; readonly expectedRevision: number | undefined },
    presented: PresentedCredentials,
  ): Promise<void> => {
    const { notebook, owner } = await requireOwner(parts, at.slug, presented);
    const answer = await parts.store.deletePage(
      owner,
      at.pageId,
      parts.now(),
      at.expectedRevision,
      writeSlot(parts, 'contentWrite', notebook, presented),
    );
    switch (answer.kind) {
      case 'deleted':
        return;
      case 'gone':
        return refuseGone(() => requireOwner(parts, at.slug, presented));
      case 'last_page':
        throw new Refusal('last_page', { detail: 'Delete the notebook instead.' });
      case 'stale':
        throw staleRevision(answer.page);
      case 'page_missing':
        throw new Refusal('not_found');
      default:
        throw refusalOfWrite(answer);
    }
  },
);
