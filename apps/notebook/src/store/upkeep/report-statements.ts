import { type Kysely, sql } from 'kysely';
import type { Report, ReportReason, ReportSeen } from '../../model/report.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

export function reportStatements(builder: Kysely<Tables>) {
  return {
    insert: statement((report: Report) =>
      builder.insertInto('reports').values({
        id: report.id,
        notebook_id: report.notebookId,
        slug: report.slug,
        reason: report.reason,
        detail: report.detail,
        created_at: report.createdAt,
      }),
    ),
    list: statement((_: object) =>
      builder
        .selectFrom('reports')
        .leftJoin('notebooks', 'notebooks.id', 'reports.notebook_id')
        .select(['reports.id', 'reports.notebook_id as notebookId', 'reports.slug', 'reports.detail'])
        .select([sql<ReportReason>`reports.reason`.as('reason'), 'reports.created_at as createdAt'])
        .select(
          sql<
            ReportSeen['state']
          >`CASE WHEN notebooks.id IS NULL THEN 'gone' WHEN notebooks.taken_down_at IS NULL THEN 'there' ELSE 'taken-down' END`.as(
            'state',
          ),
        )
        .orderBy('reports.number', 'desc'),
    ),
    takeDown: statement(({ id, at }: { id: string; at: number | null }) =>
      builder.updateTable('notebooks').set({ taken_down_at: at, version: sql`version + 1` }).where('id', '=', id),
    ),
  };
}

export type ReportStatements = ReturnType<typeof reportStatements>;
