import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { catalog, Refusal } from '../errors.ts';
import { nextTurn } from '../event-loop-turns.ts';
import { dataPolicy } from '../http/answers/security-headers.ts';
import { limits } from '../limits.ts';
import { decideAccess } from '../model/access.ts';
import { isListed } from '../model/listed.ts';
import { type Notebook, shownTitle } from '../model/notebook.ts';
import { fitsInOneAnswer, joinMarkdown, streamMarkdown, walkPages } from '../operations/read-notebook.ts';
import { type AddressOf, fragmentOf, PageLinkResolver } from '../operations/resolve-page-links.ts';
import { createAccessCheck, showAllPages, viewNotebook } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { renderEditor } from '../views/editor.tsx';
import { renderError } from '../views/error.tsx';
import { renderOpensOnce } from '../views/opens-once.tsx';
import { linkInPrint, renderPrint } from '../views/print.tsx';
import type { HtmlDocument } from '../views/props.ts';
import { renderUnlock } from '../views/unlock.tsx';
import {
  clientOf,
  etagMatches,
  getFinished,
  type PagePath,
  type RouteContext,
  readCredentials,
  readSlugAndFormat,
  type SlugPath,
  sendFinished,
  sendHtml,
  versionEtag,
} from './context.ts';
import { drawn, headOf, makeSlides, makeView, mayBeEdited, type VisibleNotebook, viewKey } from './draw-view.ts';
import { sendEpub } from './epub-stream.ts';
import { copyForAnswer, nothingElse, sendLargeText } from './large-reads.ts';
import { hasPrint, largePrintEtag, sendLargePrint } from './print-stream.ts';

/** Sent instead of the notebook: nothing of its title or text, in print and .md as in the view. */
export class Interstitial {
  readonly status: number;
  readonly page: HtmlDocument;

  constructor(status: number, page: HtmlDocument) {
    this.status = status;
    this.page = page;
  }

  send(reply: FastifyReply): FastifyReply {
    return sendHtml(this.head(reply), this.status, this.page, 'no-store');
  }

  /** For an answer that is not a page. */
  head(reply: FastifyReply): FastifyReply {
    if (this.status === 401) reply.header('www-authenticate', 'Notebook-Password realm="notebook"');
    return reply.code(this.status).header('x-robots-tag', 'noindex');
  }
}

/** The page in the address, unless no page can be called that. */
function pageIn({ params }: FastifyRequest): string | undefined {
  const { pageId } = params as Partial<PagePath['Params']>;
  return pageId && pageId.length <= limits.maxPageAddressChars ? pageId : undefined;
}

/** @throws Refusal for everybody who may not see the notebook */
export async function requireVisible(
  context: RouteContext,
  request: FastifyRequest,
  slug: string,
): Promise<VisibleNotebook | Interstitial> {
  const answer = await viewNotebook(context.parts, slug, readCredentials(request));
  switch (answer.kind) {
    case 'open':
      return answer;
    case 'wrong-token':
      throw new Refusal('edit_token_invalid');
    case 'taken-down':
      throw new Refusal('taken_down');
    case 'locked':
      return new Interstitial(401, renderUnlock(context.site, { slug, pageId: pageIn(request) }));
    case 'opens-once':
      return new Interstitial(200, renderOpensOnce(context.site, { slug }));
    case 'missing':
      throw new Refusal('not_found');
  }
}

/** The page is made again only if the notebook changed meanwhile. */
const mostMakings = 5;

/** The page made of a notebook, and the record that it was made of. */
export interface Made<Page> {
  readonly seen: VisibleNotebook;
  readonly page: Page;
}

/**
 * Makes what is sent, and asks again who may see it when the text was read: the notebook may have been closed since the first check, and the
 * text be written since. A page from memory is no exception, for it was perhaps made for a request that began before. What was made while
 * the notebook changed is made again: the title of one moment above the text of another shows what never was.
 * @returns what is sent instead when the reader may no longer see the notebook
 * @throws Refusal
 */
export async function makeSeen<Page>(
  context: RouteContext,
  request: FastifyRequest,
  first: VisibleNotebook,
  make: (seen: VisibleNotebook) => Promise<Page>,
): Promise<Made<Page> | Interstitial> {
  let seen = first;
  for (let makings = 1; ; makings++) {
    const page = await make(seen);
    const now = await requireVisible(context, request, seen.notebook.slug);
    if (now instanceof Interstitial) return now;
    if (makings === mostMakings || isUnchanged(seen, now)) return { seen, page };
    seen = now;
  }
}

function isUnchanged({ notebook }: VisibleNotebook, { notebook: now }: VisibleNotebook): boolean {
  return notebook.id === now.id && notebook.version === now.version;
}

/** For pages that everybody with the link may read: cached, but revalidated each time. */
export const openPageCacheControl = 'private, no-cache';

/**
 * A page that not everybody may read is cached nowhere; others are revalidated each time, so that expiry and deletion take effect at once.
 */
export function cacheControlOf({ notebook, access }: VisibleNotebook): string {
  const everybody = access.kind === 'reader' && notebook.passwordHash === null && !notebook.burnAfterRead;
  return everybody ? openPageCacheControl : 'no-store';
}

/** Whether and until when the service worker may keep this for reading offline: only a page that everybody with the link may read. */
function keepOf(seen: VisibleNotebook): string | undefined {
  const { notebook, access } = seen;
  if (access.kind !== 'reader' || notebook.passwordHash !== null || notebook.burnAfterRead) return undefined;
  return notebook.expiresAt === null ? 'always' : String(notebook.expiresAt);
}

/** The headers of a notebook's view, also sent by routes/quick-view.ts. */
export function viewHeaders(seen: VisibleNotebook): Record<string, string> {
  const keep = keepOf(seen);
  return {
    ...(isListed(seen.notebook) ? {} : { 'x-robots-tag': 'noindex' }),
    ...(keep === undefined ? {} : { 'octavo-keep': keep }),
    'cache-control': cacheControlOf(seen),
  };
}

/** For a reader who may see the notebook, to whom "We couldn’t find that notebook" would be wrong. */
function sendMissingPart({ site }: RouteContext, reply: FastifyReply, { slug }: Notebook, detail: string): FastifyReply {
  const { status, title } = catalog.not_found;
  const page = renderError(site, { status, title, detail, notebook: urls.view(slug) });
  return sendHtml(reply.header('x-robots-tag', 'noindex'), status, page, 'no-store');
}

/**
 * @param pageId undefined: the first page, which is missing only if the notebook was deleted a moment ago
 * @throws Refusal
 */
function sendMissingPage(
  context: RouteContext,
  reply: FastifyReply,
  notebook: Notebook,
  pageId: string | undefined,
): FastifyReply {
  if (pageId === undefined) throw new Refusal('not_found');
  return sendMissingPart(context, reply, notebook, 'The notebook has no such page. It may have been deleted.');
}

async function sendView(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
  pageId: string | undefined,
): Promise<FastifyReply> {
  const first = await requireVisible(context, request, slug);
  if (first instanceof Interstitial) return first.send(reply);
  if ('slides' in (request.query as object)) return sendSlides(context, request, reply, first, pageId);
  const made = await makeSeen(context, request, first, seen =>
    getFinished(context.cache, request, viewKey(seen, pageId), () => makeView(context, seen, pageId, clientOf(request))),
  );
  if (made instanceof Interstitial) return made.send(reply);
  const { seen, page } = made;
  if (!page) return sendMissingPage(context, reply, seen.notebook, pageId);
  reply.headers(viewHeaders(seen));
  return sendFinished(request, reply, page, cacheControlOf(seen));
}

async function sendSlides(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  first: VisibleNotebook,
  pageId: string | undefined,
): Promise<FastifyReply> {
  const made = await makeSeen(context, request, first, seen => {
    const make = () => makeSlides(context, seen, pageId, clientOf(request));
    return getFinished(context.cache, request, `slides ${viewKey(seen, pageId)}`, make);
  });
  if (made instanceof Interstitial) return made.send(reply);
  const { seen, page } = made;
  if (!page) return sendMissingPage(context, reply, seen.notebook, pageId);
  // With the headers of a view: without `octavo-keep`, a reader's worker would take this as the answer of a notebook that may not be kept.
  return sendFinished(request, reply.headers({ ...viewHeaders(seen), 'x-robots-tag': 'noindex' }), page, cacheControlOf(seen));
}

interface Asked {
  /** The page that is printed alone. */
  readonly only: string | undefined;
  readonly isAsked: (page: { readonly id: string }) => boolean;
}

function printFacts({ parts }: RouteContext, { notebook, access }: VisibleNotebook, { only, isAsked }: Asked) {
  const viewLinkOpens = decideAccess(notebook, {}, parts.now()).kind === 'reader';
  const forOwner = access.kind === 'owner' && !viewLinkOpens;
  const aboutOf = (pageCount: number) => ({
    notebook: headOf(notebook, pageCount),
    viewLinkOpens,
    forOwner,
    onlyPage: only !== undefined,
  });
  // Links to a page outside this document lead to where it can be read.
  const addressOf: AddressOf = (head, heading) =>
    isAsked(head) ? linkInPrint(head.id, heading) : urls.viewPage(notebook.slug, head.id) + fragmentOf(heading);
  return { forOwner, aboutOf, addressOf };
}

/** A longer print is sent page by page. A page may become many times as long as its text. */
const wholePrintBytes = 65_536;

/**
 * Sends all pages, or with `?page={id}` a single one.
 * @param requireStillOpen reads the record again; throws when this reader may no longer see the notebook
 * @param makings which making of it this is, as in `makeSeen`
 */
export async function sendPrint(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  seen: VisibleNotebook,
  requireStillOpen: () => Promise<VisibleNotebook>,
  makings = 1,
): Promise<FastifyReply> {
  const { page: only } = request.query as { page?: unknown };
  if (only !== undefined && typeof only !== 'string') throw new Refusal('not_found');
  reply.header('x-robots-tag', 'noindex');
  const isAsked = ({ id }: { id: string }) => only === undefined || id === only;
  if (seen.notebook.markdownBytes > wholePrintBytes)
    return sendLongPrint(context, request, reply, seen, requireStillOpen, { only, isAsked });
  const { notebook } = seen;
  const { forOwner, aboutOf, addressOf } = printFacts(context, seen, { only, isAsked });
  const page = await getFinished(
    context.cache,
    request,
    `print ${notebook.id} ${notebook.version} ${forOwner} ${only ?? ''}`,
    async () => {
      const all = await showAllPages(context.parts, notebook, 'print', clientOf(request), addressOf);
      const pages = all.filter(({ page }) => isAsked(page));
      if (only !== undefined && pages.length === 0) return undefined;
      await nextTurn();
      const made = renderPrint(context.site, {
        ...aboutOf(all.length),
        pages: pages.map(({ page, rendered }) => ({
          id: page.id,
          ...shownTitle(notebook, all.length, page, page.markdown),
          ...rendered,
        })),
      });
      return drawn(made, pages);
    },
  );
  const now = await requireStillOpen();
  if (makings < mostMakings && !isUnchanged(seen, now))
    return sendPrint(context, request, reply, now, requireStillOpen, makings + 1);
  if (!page) return sendMissingPage(context, reply, notebook, only);
  return sendFinished(request, reply, page, cacheControlOf(seen));
}

async function sendLongPrint(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  seen: VisibleNotebook,
  requireStillOpen: () => Promise<VisibleNotebook>,
  asked: Asked,
): Promise<FastifyReply> {
  const { parts } = context;
  const etagOf = (one: VisibleNotebook) =>
    largePrintEtag(context, one.notebook, asked.only, printFacts(context, one, asked).forOwner);
  reply.header('cache-control', cacheControlOf(seen));
  if (hasPrint(request, etagOf(seen))) return reply.code(304).header('etag', etagOf(seen)).send();
  const copied = await copyForAnswer(parts, reply, seen, requireStillOpen, {
    isWanted: asked.isAsked,
    readAlso: id => parts.store.listPagePaths(id),
  });
  const { notebook, heads: all, also: paths, store: pages } = copied;
  const heads = all.filter(asked.isAsked);
  if (asked.only !== undefined && heads.length === 0) return sendMissingPage(context, reply, notebook, asked.only);
  reply.header('cache-control', cacheControlOf(copied));
  const { aboutOf, addressOf } = printFacts(context, copied, asked);
  const linkResolver = new PageLinkResolver(parts, notebook, all, addressOf, paths);
  const shown = { notebook, about: aboutOf(all.length), heads, linkResolver, pages, etag: etagOf(copied) };
  return sendLargePrint(context, request, reply, shown, requireStillOpen);
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
  const first = await requireVisible(context, request, slug);
  if (first instanceof Interstitial) return first.send(reply);
  if (!fitsInOneAnswer(first.notebook)) {
    const etag = versionEtag('md', first.notebook, context.build);
    reply.headers({ ...markdownHeaders, etag, 'cache-control': cacheControlOf(first) });
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const look = createAccessCheck(context.parts, slug, readCredentials(request));
    const copied = await copyForAnswer(context.parts, reply, first, look, nothingElse);
    reply.headers({ etag: versionEtag('md', copied.notebook, context.build), 'cache-control': cacheControlOf(copied) });
    return sendLargeText(reply, clientOf(request), streamMarkdown(context.parts, walkPages(copied, copied.heads, look)));
  }
  const made = await makeSeen(context, request, first, ({ notebook: { id, version } }) =>
    getFinished(context.cache, request, `md ${id} ${version}`, async () =>
      joinMarkdown(context.parts, await context.parts.store.listPages(id)),
    ),
  );
  if (made instanceof Interstitial) return made.send(reply);
  if (!made.page) throw new Refusal('not_found');
  return sendFinished(request, reply, made.page, cacheControlOf(made.seen), markdownHeaders);
}

async function sendBook(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const seen = await requireVisible(context, request, slug);
  if (seen instanceof Interstitial) return seen.send(reply);
  reply.headers({ 'x-robots-tag': 'noindex', 'cache-control': cacheControlOf(seen) });
  return sendEpub(context, request, reply, seen, createAccessCheck(context.parts, slug, readCredentials(request)));
}

/** The content editor for visitors. Without open editing, the page does not exist. */
async function sendOpenEditor(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const seen = await requireVisible(context, request, slug);
  if (seen instanceof Interstitial) return seen.send(reply);
  if (!mayBeEdited(seen.notebook))
    return sendMissingPart(context, reply, seen.notebook, 'Readers can’t edit this notebook. Its owner may have changed that.');
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
    const { slug, format } = readSlugAndFormat(request.params.slug);
    if (format === 'epub') return sendBook(context, request, reply, slug);
    if (format === 'markdown') return sendMarkdown(context, request, reply, slug);
    return sendView(context, request, reply, slug, undefined);
  });
  app.get<PagePath>(urls.viewPage(':slug', ':pageId'), hidden, async (request, reply) => {
    const { slug, pageId } = request.params;
    // The router treats `/n/{slug}/p/` as a page with an empty name.
    if (pageId === '') throw new Refusal('not_found');
    return sendView(context, request, reply, slug, pageId);
  });
  app.get<SlugPath>(urls.openEdit(':slug'), hidden, async (request, reply) =>
    sendOpenEditor(context, request, reply, request.params.slug),
  );
  app.get<SlugPath>(urls.print(':slug'), hidden, async (request, reply) => {
    const seen = await requireVisible(context, request, request.params.slug);
    if (seen instanceof Interstitial) return seen.send(reply);
    const accessCheck = createAccessCheck(context.parts, request.params.slug, readCredentials(request));
    return sendPrint(context, request, reply, seen, accessCheck);
  });
}
