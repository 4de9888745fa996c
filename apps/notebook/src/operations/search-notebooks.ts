import { invalid, Refusal } from '../errors.ts';
import { nextTurn } from '../event-loop-turns.ts';
import { limits } from '../limits.ts';
import { markHits, type Segment } from '../model/hits.ts';
import { isListedNow } from '../model/listed.ts';
import { type PageHead, shownTitle } from '../model/notebook.ts';
import { foldForSearch, readSearchWords, type SearchWord } from '../model/search-text.ts';
import type { TextTracker } from '../model/text-tracker.ts';
import type { SearchHit } from '../store/store.ts';
import { FairPool } from './fair-pool.ts';
import { indexerOf } from './index-pages.ts';
import type { Needs } from './parts.ts';
import { plainText } from './plain-text.ts';
import { belowTitle, hasHit, makeSnippet } from './snippet.ts';

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
  /** The trimmed query that was searched. */
  readonly query: string;
  readonly page: number;
  readonly items: readonly FoundPage[];
  /** True when a next page exists and may be requested. */
  readonly more: boolean;
}

/** How long a search waits until earlier writes are indexed; enough for a thread that starts on a busy machine. */
const settleMs = 5_000;

/** One per process. The thread or server that queries the index answers one search after the other anyway. */
const searches = new FairPool(
  { atOnce: limits.maxSearchesAtOnce, maxWaiting: 256, maxWaitingPerClient: 64 },
  () => new Refusal('unavailable', { retryAfterSeconds: 2, detail: 'Too many people are searching right now.' }),
);

export interface Search {
  readonly query: string;
  readonly page: number;
  /** Clients take turns when many search at once. */
  readonly client: string;
  /** Ends the search when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * @throws Refusal `invalid`, naming `q` or `page`
 * @throws Refusal `unavailable` when too many search
 */
export async function searchNotebooks(
  parts: Needs<'store' | 'texts' | 'now'>,
  { page, client, signal, ...given }: Search,
): Promise<Found> {
  const query = readQuery(given.query);
  if (!(page >= 1 && page <= limits.maxSearchPages)) throw invalid('page', `must be from 1 to ${limits.maxSearchPages}`);
  await indexerOf(parts).settle(settleMs);
  return searches.run(client, () => search(parts, query, page, signal));
}

async function search(parts: Needs<'store' | 'texts' | 'now'>, query: string, page: number, signal: AbortSignal): Promise<Found> {
  signal.throwIfAborted();
  const now = parts.now();
  const size = limits.searchPageItems;
  const hits = await parts.store.searchPublic({ query, limit: size + 1, offset: (page - 1) * size, now });
  const words = readSearchWords(query);
  const items: FoundPage[] = [];
  for (const hit of hits.slice(0, size)) {
    if (isListedNow(hit.notebook, now)) items.push(await showHit(parts, hit, words, signal));
  }
  return { query, page, more: hits.length > size && page < limits.maxSearchPages, items };
}

function readQuery(text: string): string {
  const query = text.trim();
  const chars = [...query].length;
  if (chars === 0) throw invalid('q', 'must say what to look for');
  if (chars > limits.maxSearchQueryChars) throw invalid('q', `must have at most ${limits.maxSearchQueryChars} characters`);
  return query;
}

async function showHit(
  { texts }: Needs<'texts'>,
  { notebook, page, text }: SearchHit,
  words: readonly SearchWord[],
  signal: AbortSignal,
): Promise<FoundPage> {
  // The first page of a notebook without its own title takes the notebook's.
  const title = shownTitle(notebook, page.position === 0 ? 1 : 2, page, text).title;
  return {
    slug: notebook.slug,
    pageId: page.id,
    position: page.position,
    title: markHits(title, words),
    notebookTitle: markHits(notebook.title, words),
    // A text that ended the process twice gets no snippet.
    snippet: texts.isUnsafe(page) ? [] : await makeSnippetOf(texts, { page, title, text }, words, signal),
    updatedAt: page.updatedAt,
  };
}

/** Characters searched in one turn of the event loop. */
const pieceChars = 16_384;
/** The end of a piece is searched again with the next one: no word is longer, with all the marks it may have. */
const overlapChars = 1_024;

/** Uses the piece of a long text that contains the longest word, which is the most telling, or else another. */
async function makeSnippetOf(
  texts: TextTracker,
  { page, title, text }: { page: PageHead; title: string; text: string },
  words: readonly SearchWord[],
  signal: AbortSignal,
): Promise<Segment[]> {
  const byLength = words.toSorted((one, other) => other.text.length - one.text.length);
  let best = { plain: '', rank: Number.POSITIVE_INFINITY };
  for (let at = 0; best.rank > 0 && (at === 0 || at < text.length); at += pieceChars) {
    await nextTurn(signal);
    const piece = texts.on(page, () => lookAt(text.slice(at, at + pieceChars + overlapChars), byLength));
    if (piece.rank < best.rank) best = piece;
  }
  await nextTurn(signal);
  return texts.on(page, () => snippetOf(best.plain, title, words));
}

/** The piece's plain text, and the index of the first word that it contains. */
function lookAt(markdown: string, words: readonly SearchWord[]): { plain: string; rank: number } {
  const plain = plainText(markdown);
  const folded = foldForSearch(plain);
  const rank = words.findIndex(({ text }) => folded.includes(text));
  return { plain, rank: rank < 0 ? words.length : rank };
}

/** The title already appears above the snippet: it is repeated only when the text has no other hit. */
function snippetOf(plain: string, title: string, words: readonly SearchWord[]): Segment[] {
  const below = makeSnippet(belowTitle(plain, title), words);
  return hasHit(below) ? below : makeSnippet(plain, words);
}
