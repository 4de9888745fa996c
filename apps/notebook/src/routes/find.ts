import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';
import type { Segment } from '../model/hits.ts';
import type { Notebook } from '../model/notebook.ts';
import type { PageSource } from '../operations/copy-notebook.ts';
import { findInNotebook, type PageFound } from '../operations/find-in-notebook.ts';
import { fitsInOneAnswer, readWhole } from '../operations/read-notebook.ts';
import { createAccessCheck } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { renderFind } from '../views/find.tsx';
import { clientOf, type RouteContext, readCredentials, type SlugPath, sendHtml, sendMadeHtml } from './context.ts';
import type { VisibleNotebook } from './draw-view.ts';
import { copyForAnswer, enterLargeFind, nothingElse } from './large-reads.ts';
import { cacheControlOf, Interstitial, requireVisible } from './view.ts';

/** Browsers that support text fragments scroll to the word and mark it; others open the page. */
function placeOf(snippet: readonly Segment[]): string {
  const word = snippet.find(({ hit }) => hit)?.text;
  return word === undefined ? '' : `#:~:text=${encodeURIComponent(word).replaceAll('-', '%2D')}`;
}

function itemOf(notebook: Notebook, { page, title, snippet }: PageFound) {
  const path = page.position === 0 ? urls.view(notebook.slug) : urls.viewPage(notebook.slug, page.id);
  return { href: path + placeOf(snippet), title, snippet };
}

/** When a parameter is present twice, the last one counts. */
function readQuery(query: unknown): string {
  const value = (query as { q?: string | string[] }).q;
  return ([value].flat().at(-1) ?? '').trim();
}

interface Found {
  readonly notebook: Notebook;
  readonly pages: readonly PageFound[];
}

/** Aborts when the connection ends: nobody is waiting any more. */
async function find(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  seen: VisibleNotebook,
  query: string,
): Promise<Found> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new Refusal('unavailable', { detail: 'The search was cancelled.' })));
  const leave = fitsInOneAnswer(seen.notebook) ? () => {} : await enterLargeFind(clientOf(request));
  try {
    const look = createAccessCheck(parts, seen.notebook.slug, readCredentials(request));
    const { notebook, store } = await readOneMoment(parts, reply, seen, look);
    return { notebook, pages: await findInNotebook({ texts: parts.texts, store }, notebook, query, gone.signal, look) };
  } finally {
    leave();
  }
}

/** A search takes turns with others: what is saved meanwhile is of another moment. */
async function readOneMoment(
  parts: RouteContext['parts'],
  reply: FastifyReply,
  seen: VisibleNotebook,
  look: () => Promise<VisibleNotebook>,
): Promise<{ readonly notebook: Notebook; readonly store: PageSource }> {
  if (!fitsInOneAnswer(seen.notebook)) return copyForAnswer(parts, reply, seen, look, nothingElse);
  const whole = await readWhole(parts, seen, look);
  if (!whole) throw new Refusal('not_found');
  const { notebook, pages } = whole;
  const findPage = async (_: string, pageId: string) => pages.find(({ id }) => id === pageId);
  return { notebook, store: { listPageHeads: async () => [...pages], findPage } };
}

async function sendFind(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const seen = await requireVisible(context, request, slug);
  if (seen instanceof Interstitial) return seen.send(reply);
  const { notebook } = seen;
  const shown = { slug: notebook.slug, title: notebook.title };
  const query = readQuery(request.query);
  // A result list is not a text of its own, and results that are not for everybody are cached nowhere.
  reply.header('x-robots-tag', 'noindex, nofollow');
  const cacheControl = cacheControlOf(seen);
  if (query === '') return sendMadeHtml(request, reply, renderFind(context.site, shown), cacheControl);
  try {
    const found = await find(context, request, reply, seen, query);
    const items = found.pages.map(page => itemOf(found.notebook, page));
    const { slug, title } = found.notebook;
    return sendMadeHtml(request, reply, renderFind(context.site, { slug, title, query, items }), cacheControl);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid') throw error;
    return sendHtml(
      reply,
      error.status,
      renderFind(context.site, { ...shown, query, fault: error.extras.errors?.[0]?.message }),
      'no-store',
    );
  }
}

/** Search inside one notebook, behind the same access check as every other route. */
export function findRoutes(app: FastifyInstance, context: RouteContext): void {
  app.get<SlugPath>(urls.find(':slug'), { schema: { hide: true } }, async (request, reply) =>
    sendFind(context, request, reply, request.params.slug),
  );
}
