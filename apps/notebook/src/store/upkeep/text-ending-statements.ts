import { type Kysely, sql } from 'kysely';
import type { TextEnding } from '../../model/text-tracker.ts';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** How often a text may end the process before it is shown plain. */
const endingsAllowed = 1;

export function textEndingStatements(builder: Kysely<Tables>, dialect: Dialect) {
  return {
    /** Records nothing when the page is gone, and the same ending only once. */
    note: statement(({ id, revision, at }: TextEnding) =>
      builder
        .insertInto('text_endings')
        .columns(['page_id', 'revision', 'ended_at'])
        .expression(
          builder
            .selectFrom('pages')
            .where('id', '=', id)
            .select(['id', sql<number>`CAST(${revision} AS integer)`.as('revision')])
            .select(sql<number>`CAST(${at} AS bigint)`.as('ended_at'))
            // As with renderings: while the page is being deleted, the insert would violate its foreign key.
            .$if(dialect.locksRows, locked => locked.forKeyShare()),
        )
        .onConflict(conflict => conflict.doNothing()),
    ),
    deleteOthers: statement(({ id, revision }: Pick<TextEnding, 'id' | 'revision'>) =>
      builder.deleteFrom('text_endings').where('page_id', '=', id).where('revision', '<', revision),
    ),
    unsafe: statement((_: object) =>
      builder
        .selectFrom('text_endings')
        // CROSS JOIN makes SQLite take the tables in this order. Otherwise it would walk all pages, which are many more.
        .crossJoin('pages')
        .whereRef('pages.id', '=', 'text_endings.page_id')
        .whereRef('pages.revision', '=', 'text_endings.revision')
        .select(['pages.id', 'pages.revision'])
        .groupBy(['pages.id', 'pages.revision'])
        .having(eb => eb.fn.countAll(), '>', endingsAllowed),
    ),
  };
}

export type TextEndingStatements = ReturnType<typeof textEndingStatements>;
