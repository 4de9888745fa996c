import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { isListedNow } from './listed-rows.ts';
import { notebookColumns, toNotebook } from './notebook-statements.ts';
import type { ListedNotebook, PublicList } from './public-records.ts';

interface Batch {
  readonly updatedAt: number;
  readonly id: string;
  readonly limit: number;
  readonly now: number;
}

export function listStatements(builder: Kysely<Tables>, order: PublicList['order']) {
  const [direction, beyond] = order === 'oldest' ? (['asc', sql`>`] as const) : (['desc', sql`<`] as const);
  const batchOf = ({ updatedAt, id, limit, now }: Batch) =>
    builder
      .selectFrom('notebooks')
      .where(isListedNow(now))
      // In this form, both engines start at the right place in the index (notebooks_listed), also among notebooks with the same time.
      .where(sql<boolean>`(updated_at, id) ${beyond} (${updatedAt}, ${id})`)
      .orderBy('updated_at', direction)
      .orderBy('id', direction)
      .limit(limit);
  return {
    notebooks: statement((batch: Batch) => batchOf(batch).select(notebookColumns)),
    // Read apart from the notebooks: repeated for each of 200 pages, the notebook's columns would cost more than the page's own.
    heads: statement((batch: Batch) =>
      builder
        .selectFrom(batchOf(batch).select('notebooks.id').as('listed'))
        .innerJoin('pages', 'pages.notebook_id', 'listed.id')
        .select(['pages.id', 'pages.notebook_id as notebookId', 'pages.position', 'pages.given_title as givenTitle'])
        .select(['pages.heading', 'pages.revision', 'pages.updated_at as updatedAt'])
        .orderBy('pages.position'),
    ),
  };
}

const start = { oldest: { updatedAt: -1, id: '' }, newest: { updatedAt: Number.MAX_SAFE_INTEGER, id: '' } };

export function createListPublic(engine: Engine): (list: PublicList) => Promise<ListedNotebook[]> {
  const statements = { oldest: listStatements(engine.builder, 'oldest'), newest: listStatements(engine.builder, 'newest') };
  return async ({ order, after = start[order], limit, now }) => {
    const batch = { updatedAt: after.updatedAt, id: after.id, limit, now };
    const { notebooks, heads } = statements[order];
    const [listed, pages] = await Promise.all([engine.read(notebooks, batch), engine.read(heads, batch)]);
    const byNotebook = Map.groupBy(pages, ({ notebookId }) => notebookId);
    return listed.map(row => ({ notebook: toNotebook(row), pages: byNotebook.get(row.id) ?? [] }));
  };
}
