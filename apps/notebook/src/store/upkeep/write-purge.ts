import { hashSlug } from '../../model/slug.ts';
import { all, first } from '../engine.ts';
import { removeWithObjects } from '../images/write-images.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { DeletedExpired, PurgeDue } from '../upkeep.ts';

export function* purgeNotebooks(
  statements: Statements,
  { expiredBefore, openedBefore }: PurgeDue,
  slugFreeAt: number,
  limit: number,
): Steps<{ expired: number; burned: number }> {
  const { purge, notebooks } = statements;
  const gone = { expired: 0, burned: 0 };
  let left = limit;
  for (const choose of [purge.chooseExpired, purge.chooseBurned]) {
    const chosen = left > 0 ? yield* all(choose, { expiredBefore, openedBefore, limit: left }) : [];
    left -= chosen.length;
    for (const { id } of chosen) {
      const remove = () => first(purge.delete, { id, expiredBefore, openedBefore });
      const deleted = yield* removeWithObjects(statements, id, remove);
      if (!deleted) continue;
      yield notebooks.freeSlug.with({ slugHash: hashSlug(deleted.slug), freeAt: slugFreeAt });
      gone[deleted.expiresAt !== null && deleted.expiresAt < expiredBefore ? 'expired' : 'burned'] += 1;
    }
  }
  return gone;
}

export function* deleteExpired({ purge }: Statements, due: PurgeDue, now: number, limit: number): Steps<DeletedExpired> {
  const rateWindows = (yield* all(purge.deleteWindows, { now, limit })).length;
  const freedSlugs = (yield* all(purge.deleteSlugs, { now, limit })).length;
  const reports = (yield* all(purge.deleteReports, { before: due.reportedBefore, limit })).length;
  return { rateWindows, freedSlugs, reports };
}
