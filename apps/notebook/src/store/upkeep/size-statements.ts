import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** The size of a deletion in bytes. No content is read: both engines know a value's length without it. */
export function sizeStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const sum = (bytes: string, table: string, where: string) =>
    sql.raw<number>(`(SELECT coalesce(sum(${bytes}), 0) FROM ${table} WHERE ${where})`);
  const rendering = 'octet_length(json) + coalesce(octet_length(packed), 0)';
  const ofPages = sql<number>`CAST(coalesce(sum(octet_length(markdown)
    + ${sum('octet_length(patch)', 'page_files', 'page_id = pages.id')}
    + ${sum('bytes', 'snapshots', 'page_id = pages.id')}
    + ${sum(rendering, 'renderings', 'page_id = pages.id')}
    + ${sum('octet_length(br)', 'finished_pages', `page = ${dialect.finishedKey}`)}), 0) AS bigint)`;
  return {
    ofNotebook: statement(({ notebook }: { notebook: string }) =>
      builder
        .selectFrom('pages')
        .select(
          sql<number>`${ofPages} + (SELECT coalesce(sum(octet_length(body)), 0) FROM comments WHERE notebook_id = ${notebook})`.as(
            'bytes',
          ),
        )
        .where('notebook_id', '=', notebook),
    ),
    ofPage: statement(({ page }: { page: string }) =>
      builder.selectFrom('pages').select(ofPages.as('bytes')).where('id', '=', page),
    ),
    /** Without comments: a notebook's comments are 4 MB at most. */
    pages: statement(({ notebook }: { notebook: string }) =>
      builder
        .selectFrom('pages')
        .select(['id', ofPages.as('bytes')])
        .where('notebook_id', '=', notebook)
        .groupBy('id'),
    ),
    snapshots: statement(({ notebook }: { notebook: string }) =>
      builder
        .selectFrom('snapshots')
        .innerJoin('pages', 'pages.id', 'snapshots.page_id')
        .select(['snapshots.id', 'snapshots.bytes'])
        .where('pages.notebook_id', '=', notebook),
    ),
    /** One row per page. */
    renderings: statement(({ notebook }: { notebook: string }) =>
      builder
        .selectFrom('renderings')
        .innerJoin('pages', 'pages.id', 'renderings.page_id')
        .select(['pages.id', sql<number>`CAST(sum(${sql.raw(rendering)}) AS bigint)`.as('bytes')])
        .where('pages.notebook_id', '=', notebook)
        .groupBy('pages.id'),
    ),
  };
}

export type SizeStatements = ReturnType<typeof sizeStatements>;
