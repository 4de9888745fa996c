import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

const headColumns = [
  'snapshots.id',
  'snapshots.page_id as pageId',
  'snapshots.revision',
  'snapshots.created_at as createdAt',
  'snapshots.bytes',
] as const;

export function snapshotStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const ofPage = builder.selectFrom('snapshots').innerJoin('pages', 'pages.id', 'snapshots.page_id').select(headColumns);
  return {
    /** `ids`: a JSON array. */
    drop: statement(({ ids }: { ids: string }) =>
      builder.deleteFrom('snapshots').where('id', 'in', sql<string>`${dialect.listOf(ids)}`),
    ),
    /** Ordered by revision: two snapshots of one millisecond still have an order. */
    list: statement(({ notebook, page }: { notebook: string; page: string }) =>
      ofPage
        .where('snapshots.page_id', '=', page)
        .where('pages.notebook_id', '=', notebook)
        .orderBy('snapshots.revision', 'desc'),
    ),
    find: statement(({ notebook, snapshot }: { notebook: string; snapshot: string }) =>
      ofPage
        .select(['snapshots.given_title as givenTitle', 'snapshots.heading', 'snapshots.markdown', 'pages.position as position'])
        .where('snapshots.id', '=', snapshot)
        .where('pages.notebook_id', '=', notebook),
    ),
  };
}

export type SnapshotStatements = ReturnType<typeof snapshotStatements>;
