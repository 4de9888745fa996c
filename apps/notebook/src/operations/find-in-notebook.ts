import { setImmediate } from 'node:timers/promises';
import { invalid } from '../errors.ts';
import { limits } from '../limits.ts';
import { markHits, type Segment } from '../model/hits.ts';
import { type Notebook, type Page, pageTitle } from '../model/notebook.ts';
import { foldForSearch, readSearchWords, type SearchWord } from '../model/search-text.ts';
import type { Parts } from './parts.ts';
import { plainText } from './plain-text.ts';
import { hasHit, makeSnippet } from './snippet.ts';

export interface PageFound {
  readonly page: Pick<Page, 'id' | 'position' | 'updatedAt'>;
  readonly title: readonly Segment[];
  readonly snippet: readonly Segment[];
}

/** Of a longer page only this much is put beside a hit; whether it has one is seen in all of it. */
const shownChars = 200_000;

function findInPage(page: Page, words: readonly SearchWord[]): PageFound | undefined {
  const title = markHits(pageTitle(page), words);
  const folded = foldForSearch(`${pageTitle(page)}\n${page.markdown}`);
  if (!words.every(({ text }) => folded.includes(text))) return undefined;
  const snippet = makeSnippet(plainText(page.markdown.slice(0, shownChars)), words);
  return hasHit(title) || hasHit(snippet) || page.markdown.length > shownChars ? { page, title, snippet } : undefined;
}

/**
 * The pages of one notebook that hold every word, in their order. The caller has passed the gate: nothing is asked here.
 * @throws Refusal `invalid`, naming `q`
 */
export async function findInNotebook(parts: Parts, notebook: Notebook, given: string): Promise<PageFound[]> {
  const query = given.trim();
  if (query.length > limits.maxSearchQueryChars) throw invalid('q', `must be at most ${limits.maxSearchQueryChars} characters`);
  const words = readSearchWords(query);
  const found: PageFound[] = [];
  for (const page of await parts.store.listPages(notebook.id)) {
    const hit = findInPage(page, words);
    if (hit) found.push(hit);
    // A notebook may be two hundred long pages: others are served in between.
    await setImmediate();
  }
  return found;
}
