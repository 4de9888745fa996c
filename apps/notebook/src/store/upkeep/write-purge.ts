import { limits } from '../../limits.ts';
import { hashSlug } from '../../model/slug.ts';
import { all, type Engine, first } from '../engine.ts';
import { removeWithObjects } from '../images/write-images.ts';
import { inPortions } from '../notebooks/delete-in-portions.ts';
import type { Query, Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { DeletedExpired, ExpiredPlace, PurgeDue, Purged, PurgePlace } from '../upkeep.ts';

const freedSlugMs = limits.freedSlugDays * 86_400_000;

/** Bytes that one transaction may overwrite, so that a save beside it waits no longer than for one notebook. */
const maxBytes = 4_194_304;

/**
 * One transaction of the purge: as many due notebooks as are light together, or a portion of a heavy one. The first portion closes the
 * heavy notebook to everybody; the last one deletes the notebook itself, queues its objects and keeps its slug taken. If the process dies
 * in between, the notebook is still due, and the next purge continues.
 */
export async function purgeNotebooks(
  engine: Engine,
  statements: Statements,
  due: PurgeDue,
  slugFreeAt: number,
  { limit, from = start }: { readonly limit: number; readonly from: PurgePlace | undefined },
): Promise<Purged> {
  const light = (bounds: Omit<Bounds, 'from'>) =>
    engine.write(() => purgeLight(statements, due, slugFreeAt, { ...bounds, from }));
  const { heavy, reached, ...gone } = await light({ limit, maxBytes });
  // SQLite's index has nothing left at its start. PostgreSQL's has what was deleted, and beside a long dump each portion would look at all of
  // it again.
  if (heavy === undefined) return engine.dialect.locksRows && reached !== from ? { ...gone, reached } : gone;
  const portion = await findPortion(engine, statements, heavy);
  if (!portion) {
    const { expired, burned } = await light({ limit: 1, maxBytes: Number.POSITIVE_INFINITY });
    return { expired, burned };
  }
  await engine.write(() => dropPortion(statements, due, heavy, portion));
  return { ...gone, portions: 1 };
}

const start: PurgePlace = { expiresAt: 0, openedAt: 0 };

interface Bounds {
  readonly from: PurgePlace;
  readonly limit: number;
  readonly maxBytes: number;
}

function* purgeLight(
  statements: Statements,
  { expiredBefore, openedBefore }: PurgeDue,
  slugFreeAt: number,
  { limit, maxBytes, from }: Bounds,
): Steps<Purged & { readonly reached: PurgePlace; readonly heavy?: string }> {
  const { purge, sizes, notebooks } = statements;
  const gone = { expired: 0, burned: 0 };
  let left = limit;
  let bytes = 0;
  if (purge.followIndex) yield purge.followIndex.with({});
  let reached = from;
  for (const [choose, time] of [
    [purge.chooseExpired, 'expiresAt'],
    [purge.chooseBurned, 'openedAt'],
  ] as const) {
    const chosen = left > 0 ? yield* all(choose, { expiredBefore, openedBefore, limit: left, from: from[time] }) : [];
    left -= chosen.length;
    for (const { id, place } of chosen) {
      bytes += (yield* first(sizes.ofNotebook, { notebook: id }))?.bytes ?? 0;
      if (bytes > maxBytes) return gone.expired + gone.burned > 0 ? { ...gone, reached } : { ...gone, reached, heavy: id };
      reached = { ...reached, [time]: place };
      const remove = () => first(purge.delete, { id, expiredBefore, openedBefore });
      const deleted = yield* removeWithObjects(statements, id, remove);
      if (!deleted) continue;
      yield notebooks.freeSlug.with({ slugHash: hashSlug(deleted.slug), freeAt: slugFreeAt });
      gone[deleted.byTime ? 'expired' : 'burned'] += 1;
    }
  }
  return { ...gone, reached };
}

/** The first portion of what the notebook still holds: HTML, then snapshots, then pages. */
async function findPortion(engine: Engine, statements: Statements, notebook: string): Promise<Query | undefined> {
  const { sizes, kept, snapshots, pages } = statements;
  const stocks = [
    [sizes.renderings, (ids: string) => kept.dropRenderings.with({ pages: ids })],
    [sizes.snapshots, (ids: string) => snapshots.drop.with({ ids })],
    [sizes.pages, (ids: string) => pages.drop.with({ ids })],
  ] as const;
  for (const [list, drop] of stocks) {
    const [portion] = inPortions(await engine.read(list, { notebook }));
    if (portion) return drop(JSON.stringify(portion));
  }
  return undefined;
}

/** A notebook whose expiry was postponed meanwhile is left alone. */
function* dropPortion({ purge }: Statements, { expiredBefore, openedBefore }: PurgeDue, id: string, portion: Query): Steps<void> {
  if (yield* first(purge.closeForPurge, { id, expiredBefore, openedBefore })) yield portion;
}

/** One transaction: as many of each kind as `limit` allows. */
export async function deleteExpired(
  engine: Engine,
  { purge }: Statements,
  due: PurgeDue,
  now: number,
  { limit, from = firstRecords }: { readonly limit: number; readonly from: ExpiredPlace | undefined },
): Promise<DeletedExpired> {
  return engine.write(function* (): Steps<DeletedExpired> {
    if (purge.followIndex) yield purge.followIndex.with({});
    const windows = yield* all(purge.deleteWindows, { now, limit, from: from.rateWindows });
    yield purge.shortenSlugs.with({ most: now + freedSlugMs });
    const slugs = yield* all(purge.deleteSlugs, { now, limit, from: from.freedSlugs });
    const reports = yield* all(purge.deleteReports, { before: due.reportedBefore, limit, from: from.reports });
    const gone = { rateWindows: windows.length, freedSlugs: slugs.length, reports: reports.length };
    // As for notebooks above.
    if (!engine.dialect.locksRows) return gone;
    const reached = {
      rateWindows: last(windows, from.rateWindows),
      freedSlugs: last(slugs, from.freedSlugs),
      reports: last(reports, from.reports),
    };
    return { ...gone, reached };
  });
}

const firstRecords: ExpiredPlace = { rateWindows: 0, freedSlugs: 0, reports: 0 };

/** A statement does not say in which order it deleted. */
const last = (deleted: readonly { readonly place: number }[], from: number) =>
  deleted.reduce((latest, { place }) => Math.max(latest, place), from);
