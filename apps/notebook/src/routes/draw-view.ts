import { nextTurn } from '../event-loop-turns.ts';
import { FinishedPage } from '../http/answers/compressed.ts';
import type { Drawn, MadePage } from '../http/answers/page-cache.ts';
import { limits } from '../limits.ts';
import type { Access } from '../model/access.ts';
import type { Comment } from '../model/comment.ts';
import { readerCookieSeconds } from '../model/cookies.ts';
import { isListed, isShared } from '../model/listed.ts';
import type { Notebook, PageHead } from '../model/notebook.ts';
import { afterTitle } from '../model/title.ts';
import type { TitleOf } from '../operations/page-titles.ts';
import { isLasting, type PageShowing } from '../operations/render-page.ts';
import { type AddressOf, fragmentOf } from '../operations/resolve-page-links.ts';
import { type PageShown, showPage } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { renderComments } from '../views/comments.tsx';
import type { DrawnComments, HtmlDocument, NotebookHead, PageLink } from '../views/props.ts';
import { renderSlides } from '../views/slides.tsx';
import { renderView } from '../views/view.tsx';
import type { RouteContext } from './context.ts';

/** A notebook and its caller's access. */
export interface VisibleNotebook {
  readonly notebook: Notebook;
  readonly access: Access;
}

/** Everything that a view's bytes depend on, except the program. */
export function viewKey(seen: VisibleNotebook, pageId: string | undefined): string {
  const { id, version } = seen.notebook;
  return `${id} ${version} ${pageId ?? ''} ${readableOnceUntil(seen) ?? ''}`;
}

/** The time until which its one reader may read a burn-after-read notebook; undefined for everybody else, including its owner. */
function readableOnceUntil({ notebook, access }: VisibleNotebook): number | undefined {
  if (!notebook.burnAfterRead || access.kind !== 'reader' || notebook.openedAt === null) return undefined;
  return notebook.openedAt + readerCookieSeconds * 1_000;
}

export function headOf(notebook: Notebook, pageCount: number): NotebookHead {
  const { slug, title, visibility, paper, updatedAt, expiresAt, version } = notebook;
  return { slug, title, visibility, paper, updatedAt, expiresAt, pageCount, version };
}

function addressOfPage(notebook: Notebook, head: PageHead): string {
  return head.position === 0 ? urls.view(notebook.slug) : urls.viewPage(notebook.slug, head.id);
}

/** Resolves the text's links to the views of its notebook's pages. */
const addressIn =
  (notebook: Notebook): AddressOf =>
  (head, heading) =>
    addressOfPage(notebook, head) + fragmentOf(heading);

function linkTo(notebook: Notebook, head: PageHead, titleOf: TitleOf): PageLink {
  return { id: head.id, title: titleOf(head).title, href: addressOfPage(notebook, head) };
}

/** With open editing, anyone who may read may edit; read-only takes precedence. */
export function mayBeEdited(notebook: Notebook): boolean {
  return notebook.openEditing && !notebook.readOnly;
}

function drawView(
  context: RouteContext,
  seen: VisibleNotebook,
  { heads, head, titleOf, rendered }: PageShown,
  comments: DrawnComments | undefined,
): HtmlDocument {
  const { notebook } = seen;
  const until = readableOnceUntil(seen);
  const title = titleOf(head);
  const { description } = rendered.facts;
  const pages = heads.map(other => ({ ...linkTo(notebook, other, titleOf), current: other === head }));
  const index = heads.indexOf(head);
  return renderView(context.site, {
    notebook: headOf(notebook, heads.length),
    pages,
    page: { id: head.id, ...title, updatedAt: head.updatedAt, ...rendered },
    description: afterTitle(description, title) || description,
    previous: pages[index - 1],
    next: pages[index + 1],
    links: {
      print: urls.print(notebook.slug),
      markdown: urls.markdown(notebook.slug),
      epub: urls.epub(notebook.slug),
      edit: mayBeEdited(notebook) ? urls.openEdit(notebook.slug) : undefined,
    },
    comments,
    once: until === undefined ? undefined : { until, markdown: urls.markdown(notebook.slug) },
    listed: isListed(notebook),
    shared: isShared(notebook),
    framed: notebook.embedding && isShared(notebook),
  });
}

/** After a fault of ours, the page is shown plain for a while before it is tried again. */
const faultMillis = 300_000;
/** A page that was refused by a full queue is tried again, but not on every view. */
const busyMillis = 1_000;

/** A page that is shown plain for the moment is kept only until its rendering is ready; the next view then gets that. */
export function drawn(page: MadePage, showings: readonly PageShowing[]): MadePage {
  const passing = showings.filter(({ rendered }) => !isLasting(rendered));
  if (passing.length === 0) return page;
  const later = passing.flatMap(({ later }) => (later ? [later] : []));
  if (later.length > 0) return { ...page, keepMillis: faultMillis, until: Promise.race(later) };
  return { ...page, keepMillis: passing.some(({ rendered }) => rendered.plain === 'busy') ? busyMillis : faultMillis };
}

/** Only pages that everybody with the link may read are kept outside memory as they are sent. */
function isKept(notebook: Notebook): boolean {
  return isShared(notebook) && notebook.takenDownAt === null;
}

async function findKept({ parts, build }: RouteContext, notebook: Notebook, pageId: string | undefined) {
  if (!isKept(notebook)) return undefined;
  const viewed = await parts.store.findViewed(notebook.slug, pageId, build);
  const isSame = viewed?.notebook.id === notebook.id && viewed.notebook.version === notebook.version;
  return isSame && viewed.finished ? FinishedPage.fromStored(viewed.finished) : undefined;
}

/** Compressed once for all later readers, including those after a restart. */
async function keepFinished({ parts, build }: RouteContext, notebook: Notebook, head: PageHead, page: FinishedPage) {
  // A text that ended the process twice is shown plain as long as that is remembered.
  if (!isKept(notebook) || parts.texts.isUnsafe(head)) return;
  const br = await page.in('br');
  await parts.store.keepFinishedPage(head.id, notebook.version, build, { etag: page.etag, frames: page.frames, br });
}

function show({ parts }: RouteContext, notebook: Notebook, pageId: string | undefined, client: string | undefined) {
  return showPage(parts, notebook, pageId, client, addressIn(notebook));
}

/** 500 comments may contain ten thousand links, so each turn of the event loop draws one portion and encodes it. */
async function drawComments(comments: readonly Comment[]): Promise<Buffer[]> {
  const items: Buffer[] = [];
  for (let at = 0; at < comments.length; at += limits.maxCommentsAtOnce) {
    await nextTurn();
    items.push(Buffer.from(renderComments(comments.slice(at, at + limits.maxCommentsAtOnce))));
  }
  return items;
}

/** No page's text contains it: NUL is refused everywhere. */
const placeOfComments = '\0';

async function draw(context: RouteContext, seen: VisibleNotebook, shown: PageShown): Promise<MadePage> {
  // Nobody else will ever read a comment here.
  const comments = readableOnceUntil(seen) === undefined ? shown.comments : undefined;
  const items = await drawComments(comments ?? []);
  await nextTurn();
  const props = comments && { count: comments.length, html: placeOfComments };
  const { html, frames } = context.parts.texts.on(shown.head, () => drawView(context, seen, shown, props));
  if (items.length === 0) return { html, frames };
  const at = html.lastIndexOf(placeOfComments);
  const [before, after] = [html.slice(0, at), html.slice(at + placeOfComments.length)];
  return { html: Buffer.concat([Buffer.from(before), ...items, Buffer.from(after)]), frames };
}

/** The view of a notebook that the caller may see: kept from before, or drawn now. Undefined when there is no such page. */
export async function makeView(
  context: RouteContext,
  seen: VisibleNotebook,
  pageId: string | undefined,
  client: string | undefined,
): Promise<Drawn | undefined> {
  const { notebook } = seen;
  const kept = await findKept(context, notebook, pageId);
  if (kept) return kept;
  const shown = await show(context, notebook, pageId, client);
  if (!shown) return undefined;
  const made = drawn(await draw(context, seen, shown), [shown]);
  if (made.keepMillis !== undefined) return made;
  const page = await FinishedPage.inChunks(made.html, made.frames);
  // Not awaited; after a failure, the next request makes it again.
  keepFinished(context, notebook, shown.head, page).catch(() => {});
  return page;
}

/** Longer pages are left to their first reader: drawing them in advance would block the loop for people who wait. */
const maxCharsInAdvance = 262_144;

function charsOf({ rendered, comments = [] }: PageShown): number {
  return comments.reduce((chars, { body }) => chars + body.length, rendered.html.length);
}

/** Draws and keeps a page that was just written and rendered, so that its first reader need not wait. */
export async function prerender(context: RouteContext, slug: string, pageId: string): Promise<void> {
  const { parts } = context;
  const notebook = await parts.store.findNotebookBySlug(slug);
  if (!notebook || !isKept(notebook)) return;
  const shown = await show(context, notebook, pageId, undefined);
  if (!shown || !isLasting(shown.rendered) || charsOf(shown) > maxCharsInAdvance) return;
  const { html, frames } = await draw(context, { notebook, access: { kind: 'reader' } }, shown);
  await keepFinished(context, notebook, shown.head, FinishedPage.of(html, frames));
}

/** The same page as slides; undefined when there is no such page. */
export async function makeSlides(
  context: RouteContext,
  { notebook }: VisibleNotebook,
  pageId: string | undefined,
  client: string | undefined,
): Promise<Drawn | undefined> {
  const shown = await show(context, notebook, pageId, client);
  if (!shown) return undefined;
  await nextTurn();
  const { heads, head, titleOf, rendered } = shown;
  const props = {
    notebook: headOf(notebook, heads.length),
    page: { id: head.id, ...titleOf(head), updatedAt: head.updatedAt, ...rendered },
    back: addressOfPage(notebook, head),
  };
  return drawn(
    context.parts.texts.on(head, () => renderSlides(context.site, props)),
    [shown],
  );
}
