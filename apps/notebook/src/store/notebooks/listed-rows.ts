import { sql } from 'kysely';
import type { Notebook, PageHead } from '../../model/notebook.ts';
import { toNotebook } from './notebook-statements.ts';

/** The condition of model/listed.ts in SQL, so that rows that fail it are not even read. Both engines accept this SQL. */
export function isListedNow(now: number) {
  return sql<boolean>`notebooks.visibility = 'public' AND notebooks.taken_down_at IS NULL AND notebooks.password_hash IS NULL
    AND notebooks.burn_after_read = false AND (notebooks.expires_at IS NULL OR notebooks.expires_at > ${now})`;
}

/** A page's head beside its notebook's columns. Names that clash are changed. */
export const headColumns = [
  'pages.id as pageId',
  'pages.position',
  'pages.given_title as givenTitle',
  'pages.heading',
  'pages.revision',
  'pages.updated_at as pageUpdatedAt',
] as const;

export type JoinedPageHead = Pick<PageHead, 'position' | 'givenTitle' | 'heading' | 'revision'> & {
  readonly pageId: string;
  readonly pageUpdatedAt: number;
};

/** Splits such a row. */
export function splitRow(row: Notebook & JoinedPageHead): { notebook: Notebook; page: PageHead } {
  const { pageId, position, givenTitle, heading, revision, pageUpdatedAt, ...notebook } = row;
  const page = { id: pageId, notebookId: notebook.id, position, givenTitle, heading, revision, updatedAt: pageUpdatedAt };
  return { notebook: toNotebook(notebook), page };
}
