import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { headColumns, isListedNow, splitRow } from './listed-rows.ts';
import { notebookColumns } from './notebook-statements.ts';
import type { ListedNotebook, PublicList } from './public-records.ts';

interface Batch {
  readonly updatedAt: number;
  readonly id: string;
  readonly limit: number;
  readonly now: number;
}

function listStatement(builder: Kysely<Tables>, order: PublicList['order']) {
  const [direction, beyond] = order === 'oldest' ? (['asc', sql`>`] as const) : (['desc', sql`<`] as const);
  return statement(({ updatedAt, id, limit, now }: Batch) => {
    const batch = builder
      .selectFrom('notebooks')
      .selectAll()
      .where(isListedNow(now))
      // In this form both engines start at the place in the index on `updated_at`.
      .where(sql<boolean>`updated_at ${beyond}= ${updatedAt} AND (updated_at ${beyond} ${updatedAt} OR id ${beyond} ${id})`)
      .orderBy('updated_at', direction)
      .orderBy('id', direction)
      .limit(limit);
    return builder
      .selectFrom(batch.as('notebooks'))
      .innerJoin('pages', 'pages.notebook_id', 'notebooks.id')
      .select(notebookColumns)
      .select(headColumns)
      .orderBy('notebooks.updated_at', direction)
      .orderBy('notebooks.id', direction)
      .orderBy('pages.position');
  });
}

const start = { oldest: { updatedAt: -1, id: '' }, newest: { updatedAt: Number.MAX_SAFE_INTEGER, id: '' } };

export function createListPublic(engine: Engine): (list: PublicList) => Promise<ListedNotebook[]> {
  const statements = { oldest: listStatement(engine.builder, 'oldest'), newest: listStatement(engine.builder, 'newest') };
  return async ({ order, after = start[order], limit, now }) => {
    const rows = await engine.read(statements[order], { updatedAt: after.updatedAt, id: after.id, limit, now });
    const listed = Map.groupBy(rows.map(splitRow), ({ notebook }) => notebook.id);
    return [...listed.values()].map(group => ({ notebook: group[0]!.notebook, pages: group.map(({ page }) => page) }));
  };
}
