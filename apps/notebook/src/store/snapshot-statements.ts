import { type Kysely, sql } from 'kysely';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

const headColumns = [
  'snapshots.id',
  'snapshots.page_id as pageId',
  'snapshots.revision',
  'snapshots.created_at as createdAt',
  'snapshots.bytes',
] as const;

export interface NewSnapshot {
  readonly id: string;
  readonly pageId: string;
  readonly revision: number;
  readonly givenTitle: string;
  readonly heading: string;
  readonly createdAt: number;
  readonly bytes: number;
  readonly markdown: string;
}

export function snapshotStatements(builder: Kysely<Tables>) {
  const ofPage = builder.selectFrom('snapshots').innerJoin('pages', 'pages.id', 'snapshots.page_id').select(headColumns);
  return {
    /** By revision: two snapshots of one millisecond still have an order. */
    list: statement(({ notebook, page }: { notebook: string; page: string }) =>
      ofPage
        .where('snapshots.page_id', '=', page)
        .where('pages.notebook_id', '=', notebook)
        .orderBy('snapshots.revision', 'desc'),
    ),
    find: statement(({ notebook, page, snapshot }: { notebook: string; page: string; snapshot: string }) =>
      ofPage
        .select(['snapshots.given_title as givenTitle', 'snapshots.heading', 'snapshots.markdown', 'pages.position as position'])
        .where('snapshots.id', '=', snapshot)
        .where('snapshots.page_id', '=', page)
        .where('pages.notebook_id', '=', notebook),
    ),
    newestTime: statement(({ page }: { page: string }) =>
      builder
        .selectFrom('snapshots')
        .select('created_at as createdAt')
        .where('page_id', '=', page)
        .orderBy('revision', 'desc')
        .limit(1),
    ),
    insert: statement((snapshot: NewSnapshot) =>
      builder.insertInto('snapshots').values({
        id: snapshot.id,
        page_id: snapshot.pageId,
        revision: snapshot.revision,
        given_title: snapshot.givenTitle,
        heading: snapshot.heading,
        created_at: snapshot.createdAt,
        bytes: snapshot.bytes,
        markdown: snapshot.markdown,
      }),
    ),
    keepNewest: statement(({ page, kept }: { page: string; kept: number }) =>
      builder
        .deleteFrom('snapshots')
        .where('page_id', '=', page)
        .where('revision', 'not in', query =>
          query
            .selectFrom('snapshots as newer')
            .select('newer.revision')
            .where('newer.page_id', '=', page)
            .orderBy('newer.revision', 'desc')
            .limit(sql<number>`${kept}`),
        ),
    ),
  };
}

export type SnapshotStatements = ReturnType<typeof snapshotStatements>;
