import { invalid } from '../errors.ts';
import { nextTurn } from '../event-loop-turns.ts';
import { limits } from '../limits.ts';
import { markHits, type Segment } from '../model/hits.ts';
import { type Notebook, type Page, shownTitle } from '../model/notebook.ts';
import { foldForSearch, holdsWord, readSearchWords, type SearchWord, wordRuns } from '../model/search-text.ts';
import type { PageSource } from './copy-notebook.ts';
import type { Needs } from './parts.ts';
import { plainText } from './plain-text.ts';
import { walkPages } from './read-notebook.ts';
import { belowTitle, hasHit, makeSnippet } from './snippet.ts';

export interface PageFound {
  readonly page: Pick<Page, 'id' | 'position' | 'updatedAt'>;
  readonly title: readonly Segment[];
  readonly snippet: readonly Segment[];
}

/** Characters searched in one turn of the event loop. */
const pieceChars = 16_384;
/** The end of a piece is searched again with the next one: no word is longer, with all the marks it may have. */
const overlapChars = 1_024;
/** In a longer page, a hit may be in a part that is not shown. */
const shownChars = 200_000;

async function findInPage(
  { texts }: Needs<'texts'>,
  page: Page,
  name: string,
  words: readonly SearchWord[],
  signal: AbortSignal,
): Promise<PageFound | undefined> {
  const { id, position, updatedAt, markdown } = page;
  const folded = foldForSearch(name);
  const missing = new Set(words.filter(word => !holdsWord(folded, word)));
  let snippet: Segment[] | undefined;
  for (let at = 0; at < markdown.length && !(snippet && missing.size === 0); at += pieceChars) {
    await nextTurn(signal);
    texts.on(page, () => {
      const piece = markdown.slice(at, at + pieceChars + overlapChars);
      const here = wordsIn(piece, words, { before: at > 0, after: at + piece.length < markdown.length });
      for (const word of here) missing.delete(word);
      if (here.length > 0) snippet ??= snippetOf(piece, at === 0 ? name : '', words);
    });
  }
  const title = markHits(name, words);
  const isShown = snippet !== undefined || hasHit(title) || markdown.length > shownChars;
  if (missing.size > 0 || !isShown) return undefined;
  return {
    page: { id, position, updatedAt },
    title,
    snippet: snippet ?? texts.on(page, () => makeSnippet(belowTitle(plainText(markdown.slice(0, pieceChars)), name), [])),
  };
}

/** Short words count only whole. @param isCut where the piece may begin or end within a word, which another piece has whole */
function wordsIn(piece: string, words: readonly SearchWord[], isCut: { before: boolean; after: boolean }): SearchWord[] {
  const folded = foldForSearch(piece);
  const runs = new Set<string>();
  if (words.some(({ whole }) => whole))
    for (const { 0: run, index } of folded.matchAll(wordRuns))
      if (!(isCut.before && index === 0) && !(isCut.after && index + run.length === folded.length)) runs.add(run);
  return words.filter(({ text, whole }) => (whole ? runs.has(text) : folded.includes(text)));
}

/** Undefined when the words are only in text that is not shown, such as a link's address. */
function snippetOf(markdown: string, title: string, words: readonly SearchWord[]): Segment[] | undefined {
  const snippet = makeSnippet(belowTitle(plainText(markdown), title), words);
  return hasHit(snippet) ? snippet : undefined;
}

/**
 * The pages of one notebook that contain every word, in page order. One page is in memory at a time, and all searches share the event
 * loop's turns. The caller has already passed the access check once.
 * @param parts `store`: a copy, for pages of one moment
 * @param signal ends the search when nobody waits for it any more
 * @param requireStillOpen the access check, repeated for each page
 * @throws Refusal `invalid`, naming `q`
 */
export async function findInNotebook(
  parts: Needs<'texts'> & { readonly store: PageSource },
  notebook: Notebook,
  given: string,
  signal: AbortSignal,
  requireStillOpen: () => Promise<unknown>,
): Promise<PageFound[]> {
  const query = given.trim();
  if (query.length > limits.maxSearchQueryChars) throw invalid('q', `must be at most ${limits.maxSearchQueryChars} characters`);
  const words = readSearchWords(query);
  const found: PageFound[] = [];
  if (words.length === 0) return found;
  const heads = await parts.store.listPageHeads(notebook.id);
  for await (const page of walkPages(parts, heads, requireStillOpen)) {
    // This text ended the process twice, so search does not touch it.
    if (parts.texts.isUnsafe(page)) continue;
    const hit = await findInPage(parts, page, shownTitle(notebook, heads.length, page, page.markdown).title, words, signal);
    if (hit) found.push(hit);
  }
  return found;
}
