import { type Kysely, sql } from 'kysely';
import { notebookIdOf } from '../../model/image.ts';
import type { Dialect } from '../dialect.ts';
import { type Query, query, statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Rows per insert: far below the placeholder limit of either engine. */
const rowsAtOnce = 500;

/** Longer than any postponement: one that ends later was written while a clock was wrong, and is due. */
const longestWaitMs = 3_600_000;

/** The queue of objects to delete from the object store. */
export function objectDeletionStatements(builder: Kysely<Tables>, dialect: Dialect) {
  // On PostgreSQL, two processes must lock the same rows in the same order, or they can deadlock.
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
    dequeue: statement(({ keys }: { keys: string }) => builder.deleteFrom('object_deletions').where(keysIn(keys))),
  };
}

export type ObjectDeletionStatements = ReturnType<typeof objectDeletionStatements>;

/** Objects that are already queued keep their place. */
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
