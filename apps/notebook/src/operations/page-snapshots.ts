import { Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Page, Snapshot, SnapshotHead } from '../model/notebook.ts';
import { createId } from '../model/slug.ts';
import { requireChanged } from './change-page.ts';
import { keepRenderings } from './keep-renderings.ts';
import type { Needs } from './parts.ts';
import { onceMore, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, readAsOwner, requireOwner } from './require-access.ts';
import { writeSlot } from './require-rate-slot.ts';

/** Newest first, at most ten; for the owner alone. */
export async function listSnapshots(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  pageId: string,
  presented: PresentedCredentials,
): Promise<SnapshotHead[]> {
  const read = await readAsOwner(parts, slug, presented, async id => {
    const snapshots = await parts.store.listSnapshots(id, pageId);
    // Asked for afterwards: the page may be deleted while its snapshots are read, and then it is not one without snapshots.
    return (await parts.store.findPage(id, pageId)) && snapshots;
  });
  if (!read) throw new Refusal('not_found');
  return read;
}

export interface SnapshotAt {
  readonly slug: string;
  /** Absent: the page that the snapshot belongs to, whichever it is. */
  readonly pageId?: string;
  readonly snapshotId: string;
}

export async function readSnapshot(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  at: SnapshotAt,
  presented: PresentedCredentials,
): Promise<Snapshot> {
  const snapshot = await readAsOwner(parts, at.slug, presented, id => parts.store.findSnapshot(id, at.snapshotId));
  return requireOf(at, snapshot);
}

function requireOf({ pageId }: SnapshotAt, snapshot: Snapshot | undefined): Snapshot {
  if (!snapshot || (pageId ?? snapshot.pageId) !== snapshot.pageId) throw new Refusal('not_found');
  return snapshot;
}

/** The replaced text becomes a snapshot too, so a restore can be undone. */
export const restoreSnapshot = onceMore(
  async (
    parts: Needs<
      'store' | 'objects' | 'renderer' | 'texts' | 'pageRendered' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'
    >,
    at: SnapshotAt,
    presented: PresentedCredentials,
  ): Promise<Page> => {
    const { notebook, owner } = await requireOwner(parts, at.slug, presented);
    const pageId = at.pageId ?? (await readSnapshot(parts, at, presented)).pageId;
    const newSnapshotId = createId(parts.randomBytes, limits.idChars);
    const slot = writeSlot(parts, 'contentWrite', notebook, presented);
    const answer = await parts.store.restoreSnapshot(owner, pageId, at.snapshotId, newSnapshotId, parts.now(), slot);
    if (answer.kind === 'gone') await refuseGone(() => requireOwner(parts, at.slug, presented));
    const page = requireChanged(answer);
    keepRenderings(parts, at.slug, [page], presented.client);
    return page;
  },
);
