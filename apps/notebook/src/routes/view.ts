import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';
import { oneATurn } from '../http/one-a-turn.ts';
import type { Drawn } from '../http/page-cache.ts';
import { dataPolicy } from '../http/security-headers.ts';
import type { Access } from '../model/access.ts';
import { readerCookieSeconds } from '../model/cookies.ts';
import { isFindable, isShared } from '../model/listed.ts';
import { type Notebook, type PageHead, pageTitle } from '../model/notebook.ts';
import { isSlug } from '../model/slug.ts';
import { joinMarkdown, streamMarkdown, walkPages } from '../operations/read-notebook.ts';
import { isLasting, type PageShowing } from '../operations/render-page.ts';
import { gateOf, type PageShown, showAllPages, showPage, viewNotebook } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { renderEditor } from '../views/editor.tsx';
import { renderOpensOnce } from '../views/opens-once.tsx';
import { renderPrint } from '../views/print.tsx';
import type { NotebookHead, PageLink } from '../views/props.ts';
import { renderUnlock } from '../views/unlock.tsx';
import { renderView } from '../views/view.tsx';
import {
  clientOf,
  etagMatches,
  etagOf,
  type PagePath,
  presentedBy,
  type RouteContext,
  type SlugPath,
  sendCompressed,
  sendHtml,
} from './context.ts';
import { sendEpub } from './epub-stream.ts';
import { sendLargeText } from './large-reads.ts';
import { isWhole } from './notebook-stream.ts';
import { sendLargePrint } from './print-stream.ts';

export interface Seen {
  readonly notebook: Notebook;
  readonly access: Access;
}

/** Sent instead of the notebook: nothing of title or text, in print and .md as in the view. */
export class Instead {
  readonly status: number;
  readonly html: string;

  constructor(status: number, html: string) {
    this.status = status;
    this.html = html;
  }

  send(reply: FastifyReply): FastifyReply {
    if (this.status === 401) reply.header('www-authenticate', 'Notebook-Password realm="notebook"');
    return sendHtml(reply.header('x-robots-tag', 'noindex'), this.status, this.html, 'no-store');
  }
}

/** @throws Refusal for everybody who may not see it */
export async function requireSeen(context: RouteContext, request: FastifyRequest, slug: string): Promise<Seen | Instead> {
  if (!isSlug(slug)) throw new Refusal('not_found');
  const answer = await viewNotebook(context.parts, slug, presentedBy(request));
  switch (answer.kind) {
    case 'open':
      return answer;
    case 'wrong-token':
      throw new Refusal('edit_token_invalid');
    case 'taken-down':
      throw new Refusal('taken_down');
    case 'locked':
      return new Instead(401, renderUnlock(context.site, { slug }));
    case 'opens-once':
      return new Instead(200, renderOpensOnce(context.site, { slug }));
    case 'missing':
      throw new Refusal('not_found');
  }
}

/** What not everybody may read is stored nowhere; the rest is asked for again each time, so that expiry and deletion count at once. */
export function cacheControlOf({ notebook, access }: Seen): string {
  const everybody = access.kind === 'reader' && notebook.passwordHash === null && !notebook.burnAfterRead;
  return everybody ? 'private, no-cache' : 'no-store';
}

/** Whether the service worker may keep this for reading offline, and until when: what everybody with the link may read, nothing else. */
function keepOf(seen: Seen): string | undefined {
  const { notebook, access } = seen;
  if (access.kind !== 'reader' || notebook.passwordHash !== null || notebook.burnAfterRead) return undefined;
  return notebook.expiresAt === null ? 'always' : String(notebook.expiresAt);
}

export function headOf(notebook: Notebook, pageCount: number): NotebookHead {
  const { slug, title, visibility, paper, updatedAt, expiresAt } = notebook;
  return { slug, title, visibility, paper, updatedAt, expiresAt, pageCount };
}

export function addressOfPage(notebook: Notebook, head: PageHead): string {
  return head.position === 0 ? urls.view(notebook.slug) : urls.viewPage(notebook.slug, head.id);
}

function linkTo(notebook: Notebook, head: PageHead | undefined): PageLink | undefined {
  if (!head) return undefined;
  return { id: head.id, title: pageTitle(head), href: addressOfPage(notebook, head) };
}

/** Under open editing, by anyone who may read it; read-only wins. */
function mayBeEdited(notebook: Notebook): boolean {
  return notebook.openEditing && !notebook.readOnly;
}

/** Until when the one reader of a burning notebook may read it; undefined for everybody else, and for its owner. */
function readableOnceUntil({ notebook, access }: Seen): number | undefined {
  if (!notebook.burnAfterRead || access.kind !== 'reader' || notebook.openedAt === null) return undefined;
  return notebook.openedAt + readerCookieSeconds * 1_000;
}

function drawView(context: RouteContext, seen: Seen, { heads, head, rendered, comments }: PageShown): string {
  const { notebook } = seen;
  const until = readableOnceUntil(seen);
  const index = heads.indexOf(head);
  return renderView(context.site, {
    notebook: headOf(notebook, heads.length),
    pages: heads.map(other => ({ ...(linkTo(notebook, other) as PageLink), current: other === head })),
    page: { id: head.id, title: pageTitle(head), updatedAt: head.updatedAt, ...rendered },
    previous: linkTo(notebook, heads[index - 1]),
    next: linkTo(notebook, heads[index + 1]),
    links: {
      print: urls.print(notebook.slug),
      markdown: urls.markdown(notebook.slug),
      epub: urls.epub(notebook.slug),
      edit: mayBeEdited(notebook) ? urls.openEdit(notebook.slug) : undefined,
    },
    // Nobody else will ever read what is said here.
    comments: until === undefined ? comments : undefined,
    once: until === undefined ? undefined : { until, markdown: urls.markdown(notebook.slug) },
    indexable: isFindable(notebook),
    shared: isShared(notebook),
    framed: notebook.embedding && isShared(notebook),
  });
}

/** A fault of ours is shown plain for a while, then tried again. */
const faultMillis = 300_000;
/** What was sent away from a full line asks again, but not with every look. */
const busyMillis = 1_000;

/** A page shown plain for the moment stays until its rendering is there: the next look after that gets it. */
export function drawn(html: string, showings: readonly PageShowing[]): Drawn {
  const passing = showings.filter(({ rendered }) => !isLasting(rendered));
  if (passing.length === 0) return html;
  const later = passing.flatMap(({ later }) => (later ? [later] : []));
  if (later.length > 0) return { html, keepMillis: faultMillis, until: Promise.race(later) };
  return { html, keepMillis: passing.some(({ rendered }) => rendered.plain === 'busy') ? busyMillis : faultMillis };
}

async function sendView(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
  pageId: string | undefined,
): Promise<FastifyReply> {
  const seen = await requireSeen(context, request, slug);
  if (seen instanceof Instead) return seen.send(reply);
  const { notebook } = seen;
  const once = readableOnceUntil(seen) ?? '';
  const key = `${notebook.id} ${notebook.version} ${pageId ?? ''} ${once}`;
  const page = await context.cache.get(key, async () => {
    const shown = await showPage(
      context.parts,
      notebook,
      pageId,
      clientOf(request),
      (head, fragment) => addressOfPage(notebook, head) + fragment,
    );
    if (!shown) return undefined;
    await oneATurn();
    return drawn(
      context.parts.texts.on(shown.head, () => drawView(context, seen, shown)),
      [shown],
    );
  });
  if (!page) throw new Refusal('not_found');
  if (!isFindable(notebook)) reply.header('x-robots-tag', 'noindex');
  const keep = keepOf(seen);
  if (keep !== undefined) reply.header('octavo-keep', keep);
  return sendCompressed(request, reply, page, etagOf(page), cacheControlOf(seen));
}

/** More is sent page by page. A page may become many times as long as its text. */
const wholePrintBytes = 65_536;

/**
 * All pages, or with `?page={id}` one by itself.
 * @param mayGoOn throws when this reader may not see the notebook any more
 */
export async function sendPrint(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  seen: Seen,
  mayGoOn: () => Promise<void>,
): Promise<FastifyReply> {
  const { notebook } = seen;
  const { page: only } = request.query as { page?: unknown };
  if (only !== undefined && typeof only !== 'string') throw new Refusal('not_found');
  reply.header('x-robots-tag', 'noindex');
  const isAsked = ({ id }: { id: string }) => only === undefined || id === only;
  const aboutOf = (pageCount: number) => ({
    notebook: headOf(notebook, pageCount),
    viewLinkOpens: isShared(notebook),
    onlyPage: only !== undefined,
  });
  if (notebook.markdownBytes > wholePrintBytes) {
    const all = await context.parts.store.listPageHeads(notebook.id);
    const heads = all.filter(isAsked);
    if (only !== undefined && heads.length === 0) throw new Refusal('not_found');
    reply.header('cache-control', cacheControlOf(seen));
    return sendLargePrint(context, request, reply, { notebook, about: aboutOf(all.length), heads }, mayGoOn);
  }
  const page = await context.cache.get(`print ${notebook.id} ${notebook.version} ${only ?? ''}`, async () => {
    const all = await showAllPages(context.parts, notebook, 'print', clientOf(request));
    const pages = all.filter(({ page }) => isAsked(page));
    if (only !== undefined && pages.length === 0) return undefined;
    await oneATurn();
    const html = renderPrint(context.site, {
      ...aboutOf(all.length),
      pages: pages.map(({ page, rendered }) => ({ id: page.id, title: pageTitle(page), ...rendered })),
    });
    return drawn(html, pages);
  });
  if (!page) throw new Refusal('not_found');
  return sendCompressed(request, reply, page, etagOf(page), cacheControlOf(seen));
}

const markdownHeaders = {
  'content-type': 'text/markdown; charset=utf-8',
  'content-security-policy': dataPolicy,
  'x-robots-tag': 'noindex',
} as const;

async function sendMarkdown(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const seen = await requireSeen(context, request, slug);
  if (seen instanceof Instead) return seen.send(reply);
  const { id, version } = seen.notebook;
  if (!isWhole(seen.notebook)) {
    const etag = `W/"md-${version}-${id}"`;
    reply.headers({ ...markdownHeaders, etag, 'cache-control': cacheControlOf(seen) });
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const heads = await context.parts.store.listPageHeads(id);
    const gate = gateOf(context.parts, slug, presentedBy(request));
    return sendLargeText(reply, clientOf(request), streamMarkdown(context.parts, walkPages(context.parts, heads, gate)));
  }
  const page = await context.cache.get(`md ${id} ${version}`, async () =>
    joinMarkdown(context.parts, await context.parts.store.listPages(id)),
  );
  if (!page) throw new Refusal('not_found');
  return sendCompressed(request, reply, page, etagOf(page), cacheControlOf(seen), markdownHeaders);
}

async function sendBook(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const seen = await requireSeen(context, request, slug);
  if (seen instanceof Instead) return seen.send(reply);
  reply.headers({ 'x-robots-tag': 'noindex', 'cache-control': cacheControlOf(seen) });
  return sendEpub(context, request, reply, seen.notebook, gateOf(context.parts, slug, presentedBy(request)));
}

/** The content editor for visitors. Without open editing there is no such page. */
async function sendOpenEditor(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const seen = await requireSeen(context, request, slug);
  if (seen instanceof Instead) return seen.send(reply);
  if (!mayBeEdited(seen.notebook)) throw new Refusal('not_found');
  return sendHtml(
    reply.header('x-robots-tag', 'noindex'),
    200,
    renderEditor(context.site, { slug, mode: 'visitor' }),
    'no-store',
  );
}

export function viewRoutes(app: FastifyInstance, context: RouteContext): void {
  const hidden = { schema: { hide: true } };
  app.get<SlugPath>(urls.view(':slug'), hidden, async (request, reply) => {
    const { slug } = request.params;
    if (slug.endsWith('.epub')) return sendBook(context, request, reply, slug.slice(0, -'.epub'.length));
    if (slug.endsWith('.md')) return sendMarkdown(context, request, reply, slug.slice(0, -3));
    return sendView(context, request, reply, slug, undefined);
  });
  app.get<PagePath>(urls.viewPage(':slug', ':pageId'), hidden, async (request, reply) =>
    sendView(context, request, reply, request.params.slug, request.params.pageId),
  );
  app.get<SlugPath>(urls.openEdit(':slug'), hidden, async (request, reply) =>
    sendOpenEditor(context, request, reply, request.params.slug),
  );
  app.get<SlugPath>(urls.print(':slug'), hidden, async (request, reply) => {
    const seen = await requireSeen(context, request, request.params.slug);
    if (seen instanceof Instead) return seen.send(reply);
    const gate = gateOf(context.parts, request.params.slug, presentedBy(request));
    return sendPrint(context, request, reply, seen, gate);
  });
}
