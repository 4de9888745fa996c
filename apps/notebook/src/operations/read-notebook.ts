import { Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Access } from '../model/access.ts';
import { hashEditToken, isEditToken } from '../model/edit-token.ts';
import { type Notebook, type Page, type PageHead, pageTitle } from '../model/notebook.ts';
import type { TextTracker } from '../model/text-tracker.ts';
import type { Store } from '../store/store.ts';
import type { Needs } from './parts.ts';
import { ownedBy, type PresentedCredentials, requireReadable } from './require-access.ts';

/** A notebook without its texts: callers read those they need, all at once or page by page. */
export interface NotebookRead {
  readonly notebook: Notebook;
  readonly heads: readonly PageHead[];
  readonly access: Access;
}

/** Small enough to hold in memory as one text. */
export function fitsInOneAnswer({ markdownBytes }: Notebook): boolean {
  return markdownBytes <= limits.wholeNotebookBytes;
}

/** A notebook with its texts, as it was at one moment. */
export interface WholeNotebook extends Pick<NotebookRead, 'notebook' | 'access'> {
  readonly pages: readonly Page[];
}

/** Another reading is needed only if the notebook changed during the one before. */
const mostReadings = 20;

/**
 * Reads the texts until the notebook was the same before and after that: an answer that shows the title of one moment and the text of
 * another shows what never was. The record that is read again also says whether the reader may still see what was written since the first.
 * @param look reads the record again; undefined: no longer for this reader
 * @returns undefined when it was deleted or closed meanwhile
 */
export async function readWhole(
  { store }: Needs<'store'>,
  read: Pick<NotebookRead, 'notebook' | 'access'>,
  look: () => Promise<Pick<NotebookRead, 'notebook' | 'access'> | undefined>,
): Promise<WholeNotebook | undefined> {
  let { notebook, access } = read;
  for (let readings = 1; ; readings++) {
    const pages = await store.listPages(notebook.id);
    const now = await look();
    if (!now) return undefined;
    const isSame = now.notebook.id === notebook.id && now.notebook.version === notebook.version;
    // A notebook keeps at least one page.
    if (isSame || readings === mostReadings) return pages.length > 0 ? { notebook, access, pages } : undefined;
    ({ notebook, access } = now);
  }
}

/** @throws Refusal when this caller may not read it */
export async function readNotebook(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<NotebookRead> {
  const { notebook, access } = await requireReadable(parts, slug, presented);
  return { notebook, access, heads: await parts.store.listPageHeads(notebook.id) };
}

/** @throws Refusal when this caller may not read it, or it has no such page */
export async function readPageOf(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  pageId: string,
  presented: PresentedCredentials,
): Promise<{ page: Page; notebook: Notebook }> {
  const { notebook } = await requireReadable(parts, slug, presented);
  const page = await parts.store.findPage(notebook.id, pageId);
  // The notebook may have been closed since the first check, and the text be written since.
  await requireReadable(parts, slug, presented);
  if (!page) throw new Refusal('not_found');
  return { page, notebook };
}

/** The notebook that an edit token owns; undefined for a token that owns nothing, or no longer does. */
export async function findOwnNotebook(
  parts: Needs<'store' | 'now'>,
  editToken: string,
): Promise<NotebookRead | 'taken-down' | undefined> {
  if (!isEditToken(editToken)) return undefined;
  const owned = ownedBy(await parts.store.findNotebookByTokenHash(hashEditToken(editToken)), editToken, parts.now());
  if (!owned || owned === 'taken-down') return owned;
  const access: Access = { kind: 'owner', owner: owned.owner };
  return { notebook: owned.notebook, access, heads: await parts.store.listPageHeads(owned.notebook.id) };
}

/** @throws Refusal 401 without a token, 404 for one that owns nothing */
export async function readOwnNotebook(parts: Needs<'store' | 'now'>, editToken: string | undefined): Promise<NotebookRead> {
  if (editToken === undefined) throw new Refusal('edit_token_missing');
  const read = await findOwnNotebook(parts, editToken);
  if (read === 'taken-down') throw new Refusal('taken_down');
  if (!read) throw new Refusal('not_found');
  return read;
}

/** A loop, because `/\n+$/` backtracks from each newline of a run that is followed by text. */
function withoutLastNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

function pageAsMarkdown(texts: TextTracker, page: Page): string {
  return texts.isUnsafe(page) ? page.markdown : texts.on(page, () => titledMarkdown(page));
}

function titledMarkdown(page: Page): string {
  return titleAbove(page) + withoutLastNewlines(withLineFeeds(page.markdown));
}

function titleAbove(page: Page): string {
  return page.givenTitle !== '' && page.givenTitle !== page.heading ? `# ${pageTitle(page)}\n\n` : '';
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
}

const betweenPages = '\n\n---\n\n';

/** All pages as one markdown text; a title that is not part of its page's text is put above it. */
export function joinMarkdown({ texts }: Needs<'texts'>, pages: readonly Page[]): string {
  return `${pages.map(page => pageAsMarkdown(texts, page)).join(betweenPages)}\n`;
}

const pieceChars = 65_536;

/** As `titledMarkdown`, in pieces: each line ending is a match, and a text may consist of nothing else. */
function* piecesOf(texts: TextTracker, page: Page): Generator<string> {
  const { markdown } = page;
  yield titleAbove(page);
  let end = markdown.length;
  texts.on(page, () => {
    while (markdown[end - 1] === '\n' || markdown[end - 1] === '\r') end--;
  });
  for (let at = 0; at < end; ) {
    const [from, whole] = [at, at + pieceChars];
    // Keeps both halves of a line ending together.
    at = Math.min(end, markdown[whole - 1] === '\r' && markdown[whole] === '\n' ? whole + 1 : whole);
    yield texts.on(page, () => withLineFeeds(markdown.slice(from, at)));
  }
}

/** The same as `joinMarkdown`, a piece at a time. */
export async function* streamMarkdown({ texts }: Needs<'texts'>, pages: AsyncIterable<Page>): AsyncGenerator<string> {
  let before = '';
  for await (const page of pages) {
    yield before;
    if (texts.isUnsafe(page)) yield page.markdown;
    else yield* piecesOf(texts, page);
    before = betweenPages;
  }
  yield '\n';
}

/**
 * The notebook's pages one after the other; a page that is not found is left out.
 * @param from the store, for pages as they are when they are read, or a copy
 * @param requireStillOpen throws when the reader may no longer see the notebook; called when a page was read, because the notebook may have
 * been closed since the check before, and the page be written since
 */
export async function* walkPages(
  { store }: { readonly store: Pick<Store, 'findPage'> },
  heads: readonly PageHead[],
  requireStillOpen: () => Promise<unknown>,
): AsyncGenerator<Page> {
  for (const { notebookId, id } of heads) {
    const page = await store.findPage(notebookId, id);
    await requireStillOpen();
    if (page) yield page;
  }
}
