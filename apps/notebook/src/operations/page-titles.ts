import { isUntitled, type Notebook, type PageHead, type ShownTitle, shownTitle } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { fitsInOneAnswer } from './read-notebook.ts';

export type TitleOf = (head: PageHead) => ShownTitle;

/**
 * What readers see as the titles of these pages, all of the notebook's. In a large notebook, untitled pages are numbered: reading their texts
 * takes too long.
 */
export async function readTitles({ store }: Needs<'store'>, notebook: Notebook, heads: readonly PageHead[]): Promise<TitleOf> {
  const isNamedByText = fitsInOneAnswer(notebook) && heads.some(isUntitled);
  const openings = isNamedByText ? await store.listPageOpenings(notebook.id) : [];
  const openingOf = new Map(openings.map(({ id, opening }) => [id, opening]));
  return head => shownTitle(notebook, heads.length, head, openingOf.get(head.id));
}

/** The same for one page at a time, whatever the size: in a document that holds the texts, the reader waits for them anyway. */
export async function readTitle(
  store: Pick<Needs<'store'>['store'], 'findPage'>,
  notebook: Pick<Notebook, 'title'>,
  pageCount: number,
  head: PageHead,
): Promise<ShownTitle> {
  const page = isUntitled(head) ? await store.findPage(head.notebookId, head.id) : undefined;
  return shownTitle(notebook, pageCount, head, page?.markdown);
}
