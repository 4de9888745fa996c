import { sql } from 'kysely';
import { keptSnapshots } from '../../model/snapshot.ts';

/** Describes one more snapshot, for which room is made before it is written. */
export interface SnapshotRoom {
  readonly id: string;
  readonly notebookId: string;
  /** A visitor writes: the snapshots that the owner needs to undo it stay. */
  readonly guards: boolean;
  /** The replaced text is a visitor's too, so the owner's last text is a snapshot already. */
  readonly ownerTextIsKept: boolean;
  readonly dayAgo: number;
  /** The limit for all snapshots of the notebook together, without the new one. */
  readonly roomBytes: number;
}

const flag = (value: boolean) => sql<boolean>`CAST(${value} AS boolean)`;

/**
 * The snapshots of the page that the new one pushes out: the oldest, by revision, because two of one millisecond still have an order. A
 * visitor's save spares the owner's last text and the newest snapshot that is older than a day. Where there is none that old, it spares the
 * oldest, which will be.
 */
export function evictedByCount({ id, guards, ownerTextIsKept, dayAgo }: SnapshotRoom) {
  return sql<string>`(SELECT id FROM (
    SELECT id, row_number() OVER (ORDER BY spared DESC, revision DESC) AS place FROM (
      SELECT id, revision, CASE
        WHEN ${flag(guards)} AND ${flag(ownerTextIsKept)} AND by_owner
          AND row_number() OVER (PARTITION BY by_owner ORDER BY revision DESC) = 1 THEN 1
        WHEN ${flag(guards)} AND row_number() OVER (ORDER BY
          CASE WHEN created_at <= ${dayAgo} THEN 0 ELSE 1 END,
          CASE WHEN created_at <= ${dayAgo} THEN -revision ELSE revision END) = 1 THEN 1
        ELSE 0 END AS spared
      FROM snapshots WHERE page_id = ${id}) AS judged) AS placed
    WHERE place > ${sql.lit(keptSnapshots - 1)})`;
}

/**
 * The snapshots of the notebook that go because all together would exceed the limit: the oldest first; then, of each page, the newest that
 * is older than a day; the owner's last texts last.
 */
export function evictedBySize({ notebookId, dayAgo, roomBytes }: SnapshotRoom) {
  return sql<string>`(SELECT id FROM (
    SELECT id, sum(bytes) OVER (ORDER BY spared DESC, created_at DESC, revision DESC, id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS weight FROM (
      SELECT snapshots.id, snapshots.bytes, snapshots.created_at, snapshots.revision, CASE
        WHEN snapshots.by_owner AND NOT pages.by_owner
          AND row_number() OVER (PARTITION BY page_id, snapshots.by_owner ORDER BY snapshots.revision DESC) = 1 THEN 2
        WHEN created_at <= ${dayAgo} AND row_number() OVER (PARTITION BY page_id,
          CASE WHEN created_at <= ${dayAgo} THEN 0 ELSE 1 END ORDER BY snapshots.revision DESC) = 1 THEN 1
        ELSE 0 END AS spared
      FROM snapshots JOIN pages ON pages.id = snapshots.page_id WHERE pages.notebook_id = ${notebookId}) AS judged) AS weighed
    WHERE weight > ${roomBytes})`;
}
