import { type Kysely, sql } from 'kysely';
import { limits } from '../../limits.ts';
import type { Comment } from '../../model/comment.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

const columns = [
  'number',
  'id',
  'notebook_id as notebookId',
  'page_id as pageId',
  'author',
  'body',
  'created_at as createdAt',
] as const;

export function commentStatements(builder: Kysely<Tables>) {
  return {
    list: statement(({ notebook, after }: { notebook: string; after: number }) =>
      builder
        .selectFrom('comments')
        .select(columns)
        .where('notebook_id', '=', notebook)
        .where('number', '>', after)
        .orderBy('number')
        .limit(limits.maxCommentsAtOnce),
    ),
    /** Those on one page; a comment on the notebook as a whole belongs to the first page. */
    listOfPage: statement(({ notebook, page, first, after }: { notebook: string; page: string; first: string; after: number }) =>
      builder
        .selectFrom('comments')
        .select(columns)
        .where('notebook_id', '=', notebook)
        .where(sql<boolean>`coalesce(page_id, ${first}) = ${page}`)
        .where('number', '>', after)
        .orderBy('number')
        .limit(limits.maxCommentsAtOnce),
    ),
    count: statement(({ notebook }: { notebook: string }) =>
      builder.selectFrom('comments').select(sql<number>`count(*)`.as('count')).where('notebook_id', '=', notebook),
    ),
    insert: statement((comment: Comment) =>
      builder.insertInto('comments').values({
        id: comment.id,
        notebook_id: comment.notebookId,
        page_id: comment.pageId,
        author: comment.author,
        body: comment.body,
        created_at: comment.createdAt,
      }),
    ),
    delete: statement(({ notebook, comment }: { notebook: string; comment: string }) =>
      builder.deleteFrom('comments').where('id', '=', comment).where('notebook_id', '=', notebook).returning('id'),
    ),
    /** The text is unchanged, but what the page shows around it has changed. */
    redraw: statement(({ notebook }: { notebook: string }) =>
      builder.updateTable('notebooks').set({ version: sql`version + 1` }).where('id', '=', notebook),
    ),
  };
}

export type CommentStatements = ReturnType<typeof commentStatements>;
