import { invalid } from '../errors.ts';
import { limits } from '../limits.ts';
import { markHits, type Segment } from '../model/hits.ts';
import { isListed } from '../model/listed.ts';
import { pageTitle } from '../model/notebook.ts';
import { readSearchWords, type SearchWord } from '../model/search-text.ts';
import type { SearchHit } from '../store/store.ts';
import { indexerOf } from './index-pages.ts';
import type { Parts } from './parts.ts';
import { plainText } from './plain-text.ts';
import { hasHit, makeSnippet } from './snippet.ts';

export interface FoundPage {
  readonly slug: string;
  readonly pageId: string;
  readonly position: number;
  readonly title: readonly Segment[];
  readonly notebookTitle: readonly Segment[];
  readonly snippet: readonly Segment[];
  readonly updatedAt: number;
}

export interface Found {
  /** As it was searched: trimmed. */
  readonly query: string;
  readonly page: number;
  readonly items: readonly FoundPage[];
  /** True when there is a page after this one that may be asked for. */
  readonly more: boolean;
}

/** How long a search waits for the index of what was written before it. */
const settleMs = 1_000;

/** @throws Refusal `invalid`, naming `q` or `page` */
export async function searchNotebooks(parts: Parts, given: { query: string; page: number }): Promise<Found> {
  const { page } = given;
  const query = readQuery(given.query);
  if (!(page >= 1 && page <= limits.maxSearchPages)) throw invalid('page', `must be from 1 to ${limits.maxSearchPages}`);
  await indexerOf(parts).settle(settleMs);
  const now = parts.now();
  const size = limits.searchPageItems;
  const hits = await parts.store.searchPublic({ query, limit: size + 1, offset: (page - 1) * size, now });
  const words = readSearchWords(query);
  return {
    query,
    page,
    more: hits.length > size && page < limits.maxSearchPages,
    items: hits
      .slice(0, size)
      .filter(({ notebook }) => isListed(notebook, now))
      .map(hit => showHit(parts, hit, words)),
  };
}

function readQuery(text: string): string {
  const query = text.trim();
  const chars = [...query].length;
  if (chars === 0) throw invalid('q', 'must say what to look for');
  if (chars > limits.maxSearchQueryChars) throw invalid('q', `must have at most ${limits.maxSearchQueryChars} characters`);
  return query;
}

function showHit({ texts }: Parts, { notebook, page, text }: SearchHit, words: readonly SearchWord[]): FoundPage {
  const title = pageTitle(page);
  return {
    slug: notebook.slug,
    pageId: page.id,
    position: page.position,
    title: markHits(title, words),
    notebookTitle: markHits(notebook.title, words),
    // A text that ended the process twice is found by its title's side alone.
    snippet: texts.isUnsafe(page) ? [] : texts.on(page, () => snippetOf(plainText(text), title, words)),
    updatedAt: page.updatedAt,
  };
}

/** The title stands above the snippet already: it is repeated only when nothing else of the text was asked for. */
function snippetOf(plain: string, title: string, words: readonly SearchWord[]): Segment[] {
  if (!plain.startsWith(title)) return makeSnippet(plain, words);
  const below = makeSnippet(plain.slice(title.length).trimStart(), words);
  return hasHit(below) ? below : makeSnippet(plain, words);
}
