import { type Kysely, sql } from 'kysely';
import { nameChars } from '../../model/first-line.ts';
import type { Page } from '../../model/notebook.ts';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

const headColumns = [
  'pages.id',
  'pages.notebook_id as notebookId',
  'pages.position',
  'pages.given_title as givenTitle',
  'pages.heading',
  'pages.revision',
  'pages.updated_at as updatedAt',
] as const;

export function pageStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const heads = builder.selectFrom('pages').select(headColumns);
  const pages = heads.select('pages.markdown');
  const count = builder.selectFrom('pages').select(sql<number>`count(*)`.as('count'));
  return {
    heads: statement(({ notebook }: { notebook: string }) => heads.where('notebook_id', '=', notebook).orderBy('position')),
    /** How pages begin that have neither a title nor a heading: as much as names them. */
    openings: statement(({ notebook }: { notebook: string }) =>
      builder
        .selectFrom('pages')
        .select(['pages.id', dialect.firstChars(sql.ref('pages.markdown'), nameChars).as('opening')])
        .where('notebook_id', '=', notebook)
        .where('given_title', '=', '')
        .where('heading', '=', ''),
    ),
    list: statement(({ notebook }: { notebook: string }) => pages.where('notebook_id', '=', notebook).orderBy('position')),
    find: statement(({ notebook, page }: { notebook: string; page: string }) =>
      pages.where('id', '=', page).where('notebook_id', '=', notebook),
    ),
    count: statement(({ notebook }: { notebook: string }) => count.where('notebook_id', '=', notebook)),
    insert: statement((page: Page & { readonly byOwner: boolean }) =>
      builder.insertInto('pages').values({
        id: page.id,
        notebook_id: page.notebookId,
        position: page.position,
        given_title: page.givenTitle,
        heading: page.heading,
        revision: page.revision,
        updated_at: page.updatedAt,
        by_owner: page.byOwner,
        markdown: page.markdown,
      }),
    ),
    /** `ids`: a JSON array. */
    drop: statement(({ ids }: { ids: string }) =>
      builder.deleteFrom('pages').where('id', 'in', sql<string>`${dialect.listOf(ids)}`),
    ),
    keepFile: statement((file: { page: string; notebook: string; path: string; patch: string }) =>
      builder
        .insertInto('page_files')
        .values({ page_id: file.page, notebook_id: file.notebook, path: file.path, patch: file.patch })
        .onConflict(conflict => conflict.column('page_id').doUpdateSet({ path: file.path, patch: file.patch })),
    ),
    keepKey: statement((made: { page: string; notebook: string; key: string }) =>
      builder.insertInto('page_keys').values({ page_id: made.page, notebook_id: made.notebook, key: made.key }),
    ),
    findByKey: statement(({ notebook, key }: { notebook: string; key: string }) =>
      pages
        .innerJoin('page_keys', 'page_keys.page_id', 'pages.id')
        .where('page_keys.notebook_id', '=', notebook)
        .where('key', '=', key),
    ),
    file: statement(({ page }: { page: string }) =>
      builder.selectFrom('page_files').select(['path', 'patch']).where('page_id', '=', page),
    ),
    fileIn: statement(({ notebook, page }: { notebook: string; page: string }) =>
      builder
        .selectFrom('page_files')
        .select(['page_id as pageId', 'path', 'patch'])
        .where('page_id', '=', page)
        .where('notebook_id', '=', notebook),
    ),
    paths: statement(({ notebook }: { notebook: string }) =>
      builder
        .selectFrom('page_files')
        .innerJoin('pages', 'pages.id', 'page_files.page_id')
        .select(['page_id as pageId', 'path'])
        .where('page_files.notebook_id', '=', notebook)
        .orderBy('position'),
    ),
    delete: statement(({ page }: { page: string }) => builder.deleteFrom('pages').where('id', '=', page)),
    /** Makes room at a position, or closes the gap before it. */
    shift: statement(({ notebook, from, by }: { notebook: string; from: number; by: number }) =>
      builder
        .updateTable('pages')
        .set({ position: sql`position + ${by}` })
        .where('notebook_id', '=', notebook)
        .where('position', '>=', from),
    ),
  };
}

export type PageStatements = ReturnType<typeof pageStatements>;
