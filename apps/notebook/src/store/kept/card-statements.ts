import { type Kysely, sql } from 'kysely';
import { limits } from '../../limits.ts';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { isOpenToAll } from './finished-statements.ts';

interface CardArgs {
  readonly notebook: string;
  readonly version: number;
  readonly build: string;
  readonly now: number;
  readonly png: Uint8Array;
}

/** Clocks of several machines may differ by less than this. */
export const cardClockToleranceMs = 3_600_000;

/** Preview pictures for shared links, each valid for one version of its notebook and one build of the program. */
export function cardStatements(builder: Kysely<Tables>, dialect: Dialect) {
  return {
    find: statement(({ notebook, version, build }: { notebook: string; version: number; build: string }) =>
      builder
        .selectFrom('cards')
        .select('png')
        .where('notebook_id', '=', notebook)
        .where('version', '=', version)
        .where('build', '=', build),
    ),
    keep: keepCard(builder, dialect),
    /**
     * Cards drawn while a clock was ahead would count as newer than all that follow, so that none of those were kept until that time comes.
     * A few at a time: SQLite overwrites what it deletes.
     */
    dropFuture: statement(({ after }: { after: number }) =>
      builder
        .deleteFrom('cards')
        .where('notebook_id', 'in', some =>
          some
            .selectFrom('cards as future')
            .select('future.notebook_id')
            .where('future.drawn_at', '>', after)
            .orderBy('future.drawn_at')
            .limit(sql.lit(20)),
        ),
    ),
    /** Keeps only the newest cards; any other is drawn again on request. */
    trim: statement(() =>
      builder.deleteFrom('cards').where('drawn_at', '<', oldest =>
        oldest
          .selectFrom('cards as kept')
          .select('kept.drawn_at')
          .orderBy('kept.drawn_at', 'desc')
          .limit(sql.lit(1))
          .offset(sql.lit(limits.maxKeptCards - 1)),
      ),
    ),
  };
}

export type CardStatements = ReturnType<typeof cardStatements>;

function keepCard(builder: Kysely<Tables>, dialect: Dialect) {
  const { typed } = dialect;
  return statement(({ notebook, version, build, now, png }: CardArgs) => {
    const row = builder
      .selectFrom('notebooks')
      .select('notebooks.id as notebook_id')
      .select([typed<number>(version, 'bigint').as('version'), typed<string>(build, 'text').as('build')])
      .select([typed<number>(now, 'bigint').as('drawn_at'), typed<Uint8Array>(png, 'bytea').as('png')])
      .where('notebooks.id', '=', notebook)
      // The notebook may have changed since the card was drawn.
      .where('notebooks.version', '=', typed<number>(version, 'bigint'))
      .where(isOpenToAll(dialect))
      .$if(dialect.locksRows, locked => locked.forShare('notebooks'));
    return builder
      .insertInto('cards')
      .columns(['notebook_id', 'version', 'build', 'drawn_at', 'png'])
      .expression(row)
      .onConflict(conflict =>
        conflict.column('notebook_id').doUpdateSet({
          version: sql`excluded.version`,
          build: sql`excluded.build`,
          drawn_at: sql`excluded.drawn_at`,
          png: sql`excluded.png`,
        }),
      );
  });
}
