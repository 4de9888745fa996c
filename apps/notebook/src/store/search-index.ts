import type { Notebook, Page } from '../model/notebook.ts';
import { foldForSearch } from './search-grams.ts';
import type { Steps } from './statement.ts';

/**
 * The text index of the pages of public notebooks. Entering and changing is written here, in the transaction of the change;
 * leaving (deletion, another visibility, taking down) is the work of triggers and foreign keys in migrations/.
 */
export interface SearchIndex {
  /** Replaces what was indexed for the page. */
  put(pageId: string, foldedText: string): Steps<void>;
}

/** Beyond it a page is not searched: an index of a whole book in one page would cost every save of it. */
export const maxSearchedChars = 65_536;

export function* indexPage(search: SearchIndex, notebook: Notebook, page: Page): Steps<void> {
  if (notebook.visibility !== 'public' || notebook.takenDownAt !== null) return;
  const text = `${notebook.title}\n${page.givenTitle}\n${page.markdown}`.slice(0, maxSearchedChars);
  yield* search.put(page.id, foldForSearch(text.toWellFormed()));
}

/** After a change of title or visibility. */
export function* indexPages(search: SearchIndex, notebook: Notebook, pages: Iterable<Page>): Steps<void> {
  for (const page of pages) yield* indexPage(search, notebook, page);
}
