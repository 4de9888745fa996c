import { nextTurn } from '../event-loop-turns.ts';
import { isListedNow } from '../model/listed.ts';
import type { Notebook, Page } from '../model/notebook.ts';
import type { ListedNotebook, ListPlace } from '../store/store.ts';
import { inTurns } from './page-turns.ts';
import type { Needs } from './parts.ts';
import { joinMarkdown } from './read-notebook.ts';

export type { ListedNotebook };

/** Each notebook may have 200 pages, and a batch is read in one turn of the event loop. */
const batchNotebooks = 10;

/**
 * Every notebook that may be listed, one batch of the database at a time. One that changes while its batch is read may come without pages
 * and is left out.
 */
export async function* walkListed(
  parts: Needs<'store' | 'now'>,
  order: 'oldest' | 'newest',
  from?: ListPlace,
): AsyncGenerator<ListedNotebook> {
  for (let after = from; ; ) {
    await nextTurn();
    const now = parts.now();
    const batch = await parts.store.listPublic({ order, after, limit: batchNotebooks, now });
    for (const listed of batch) if (listed.pages.length > 0 && isListedNow(listed.notebook, now)) yield listed;
    if (batch.length < batchNotebooks) return;
    after = placeOf(batch.at(-1)!.notebook);
  }
}

export function placeOf({ updatedAt, id }: Notebook): ListPlace {
  return { updatedAt, id };
}

/** Another reading is needed only if the notebook changed during the one before. */
const mostReadings = 20;

/** Why a notebook is listed without its text. */
export type LeftOut = 'too long' | 'changing';

/**
 * The notebook and its text of one moment, without text when that is longer than `maxBytes` of UTF-8 or changes all the time; undefined
 * when it is no longer public. That is asked when the text was read: the notebook may have been closed since it was listed, and the text be
 * written since.
 */
export async function readListed(
  parts: Needs<'store' | 'texts' | 'now'>,
  listed: ListedNotebook,
  maxBytes: number,
): Promise<{ notebook: Notebook; markdown: string | undefined; leftOut?: LeftOut } | undefined> {
  const { id, slug } = listed.notebook;
  let { notebook, pages } = listed;
  for (let readings = 1; ; readings++) {
    const read = await readPages(parts, pages, maxBytes);
    const now = await parts.store.findNotebookBySlug(slug);
    if (now?.id !== id || !isListedNow(now, parts.now())) return undefined;
    if (!read) return { notebook: now, markdown: undefined, leftOut: 'too long' };
    if (now.version === notebook.version) return { notebook, markdown: joinMarkdown(parts, read) };
    if (readings === mostReadings) return { notebook: now, markdown: undefined, leftOut: 'changing' };
    notebook = now;
    pages = await parts.store.listPageHeads(id);
  }
}

/** One page at a time: a notebook may hold 200 pages of a mebibyte. */
async function readPages(
  { store }: Needs<'store'>,
  heads: ListedNotebook['pages'],
  maxBytes: number,
): Promise<Page[] | undefined> {
  const from = inTurns(store);
  const read: Page[] = [];
  let bytes = 0;
  for (const { notebookId, id } of heads) {
    const page = await from.findPage(notebookId, id);
    if (page) read.push(page);
    bytes += Buffer.byteLength(page?.markdown ?? '');
    if (bytes > maxBytes) return undefined;
  }
  return read;
}
