import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Notebook } from '../../model/notebook.ts';
import type { Dialect } from '../dialect.ts';
import { isOneOf, notebookColumns } from '../notebooks/notebook-statements.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** A notebook's row with its finished page. The page's columns are null when none is kept for this version and build. */
export interface ViewedRow extends Notebook {
  readonly etag: string | null;
  readonly frames: boolean | number | null;
  readonly br: Uint8Array | null;
}

interface FinishedArgs {
  page: string;
  version: number;
  build: string;
  etag: string;
  frames: boolean;
  br: Uint8Array;
}

/** Pages as they are sent, each valid for one version of its notebook and one build of the program. */
export function finishedStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const key = dialect.finishedKey;
  const viewed = (build: string, isAsked: RawBuilder<boolean>) =>
    builder
      .selectFrom('notebooks')
      .leftJoin('pages', join => join.onRef('pages.notebook_id', '=', 'notebooks.id').on(isAsked))
      .leftJoin('finished_pages', join =>
        join
          .on(sql<boolean>`finished_pages.page = ${sql.ref(key)}`)
          .onRef('finished_pages.version', '=', 'notebooks.version')
          .on('finished_pages.build', '=', build),
      )
      .select(notebookColumns)
      .select(['finished_pages.etag', 'finished_pages.frames', 'finished_pages.br'])
      .$castTo<ViewedRow>();
  const isFirst = sql<boolean>`pages.position = 0`;
  return {
    /** The notebook with its first page. */
    viewed: statement(({ slug, build }: { slug: string; build: string }) =>
      viewed(build, isFirst).where('notebooks.slug', '=', slug),
    ),
    /** Several notebooks, each with its first page. */
    viewedOf: statement(({ slugs, build }: { slugs: readonly string[]; build: string }) =>
      viewed(build, isFirst).where(isOneOf(slugs)),
    ),
    /** The notebook with one of its pages. */
    viewedPage: statement(({ slug, build, page }: { slug: string; build: string; page: string }) =>
      viewed(build, sql<boolean>`pages.id = ${page}`).where('notebooks.slug', '=', slug),
    ),
    /** Several pages, each with its notebook. PostgreSQL only: SQLite has no arrays. */
    viewedPages: statement(({ pages, build }: { pages: readonly string[]; build: string }) => {
      const isAsked = sql<boolean>`pages.id = ANY(${pages})`;
      return viewed(build, isAsked).select('pages.id as page').where(isAsked).$castTo<ViewedRow & { page: string }>();
    }),
    keep: keepFinished(builder, dialect),
  };
}

/** Anyone with the link may read it. The caller checks its expiry. */
export const isOpenToAll = (dialect: Dialect) =>
  sql<boolean>`(notebooks.visibility <> 'private' AND notebooks.password_hash IS NULL AND notebooks.burn_after_read = ${dialect.false} AND notebooks.taken_down_at IS NULL)`;

export type FinishedStatements = ReturnType<typeof finishedStatements>;

function keepFinished(builder: Kysely<Tables>, dialect: Dialect) {
  const { typed } = dialect;
  return statement(({ page, version, build, etag, frames, br }: FinishedArgs) => {
    const row = builder
      .selectFrom('pages')
      .innerJoin('notebooks', 'notebooks.id', 'pages.notebook_id')
      .select(sql<string>`${sql.ref(dialect.finishedKey)}`.as('page'))
      .select([typed<number>(version, 'bigint').as('version'), typed<string>(build, 'text').as('build')])
      .select([typed<string>(etag, 'text').as('etag'), typed<boolean>(frames, 'boolean').as('frames')])
      .select(typed<Uint8Array>(br, 'bytea').as('br'))
      .where('pages.id', '=', page)
      // The notebook may have been locked, taken down or changed since the page was drawn.
      .where('notebooks.version', '=', typed<number>(version, 'bigint'))
      .where(isOpenToAll(dialect))
      // Waits for a lock or deletion under way and sees its result, so that nothing is kept for a notebook that just closed.
      .$if(dialect.locksRows, locked => locked.forShare('notebooks'));
    return builder
      .insertInto('finished_pages')
      .columns(['page', 'version', 'build', 'etag', 'frames', 'br'])
      .expression(row)
      .onConflict(conflict =>
        conflict.column('page').doUpdateSet({
          version: sql`excluded.version`,
          build: sql`excluded.build`,
          etag: sql`excluded.etag`,
          frames: sql`excluded.frames`,
          br: sql`excluded.br`,
        }),
      );
  });
}
