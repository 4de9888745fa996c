import { type Kysely, sql } from 'kysely';
import { notebookIdOf } from '../../model/image.ts';
import type { Dialect } from '../dialect.ts';
import { type Query, query, statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Rows of one insert: far from what either engine takes as placeholders. */
const rowsAtOnce = 500;

/** Longer than any wait: what is due later was postponed by a clock that was wrong, and is due. */
const longestWaitMs = 3_600_000;

/** The queue of objects that are still to be deleted from the object store. */
export function objectDeletionStatements(builder: Kysely<Tables>, dialect: Dialect) {
  // Two processes at the same rows lock them in one order on PostgreSQL: otherwise each may wait for the other.
  const inOrder = (keys: string) =>
    dialect.locksRows
      ? sql<string>`(SELECT object_key FROM object_deletions WHERE object_key IN ${dialect.listOf(keys)} ORDER BY number FOR UPDATE)`
      : dialect.listOf(keys);
  const keysIn = (keys: string) => sql<boolean>`object_key IN ${inOrder(keys)}`;
  return {
    queue: (keys: readonly string[], notBefore: number) => queueAll(builder, keys, notBefore),
    of: statement(({ notebook }: { notebook: string }) =>
      builder.selectFrom('object_deletions').select('object_key as key').where('notebook_id', '=', notebook).orderBy('number'),
    ),
    due: statement(({ now, limit }: { now: number; limit: number }) =>
      builder
        .selectFrom('object_deletions')
        .select('object_key as key')
        .where(sql<boolean>`(not_before <= ${now} OR not_before - ${sql.lit(longestWaitMs)} > ${now})`)
        .orderBy('not_before')
        .orderBy('number')
        .limit(sql<number>`${limit}`),
    ),
    postpone: statement(({ keys, notBefore }: { keys: string; notBefore: number }) =>
      builder.updateTable('object_deletions').set({ not_before: notBefore }).where(keysIn(keys)),
    ),
    forget: statement(({ keys }: { keys: string }) => builder.deleteFrom('object_deletions').where(keysIn(keys))),
  };
}

export type ObjectDeletionStatements = ReturnType<typeof objectDeletionStatements>;

/** What is queued already stays where it is. */
function* queueAll(builder: Kysely<Tables>, keys: readonly string[], notBefore: number): Generator<Query> {
  for (let from = 0; from < keys.length; from += rowsAtOnce) {
    const rows = keys
      .slice(from, from + rowsAtOnce)
      .map(key => ({ object_key: key, notebook_id: notebookIdOf(key), not_before: notBefore }));
    yield query(
      builder
        .insertInto('object_deletions')
        .values(rows)
        .onConflict(conflict => conflict.column('object_key').doNothing()),
    );
  }
}
