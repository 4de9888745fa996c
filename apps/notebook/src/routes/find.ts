import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';
import type { Segment } from '../model/hits.ts';
import type { Notebook } from '../model/notebook.ts';
import { findInNotebook, type PageFound } from '../operations/find-in-notebook.ts';
import { gateOf } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { renderFind } from '../views/find.tsx';
import { clientOf, presentedBy, type RouteContext, type SlugPath, sendHtml, sendMadeHtml } from './context.ts';
import { enterLargeFind } from './large-reads.ts';
import { isWhole } from './notebook-stream.ts';
import { cacheControlOf, Interstitial, requireVisible } from './view.ts';

/** Browsers that know text fragments scroll to the word and mark it; the others open the page. */
function placeOf(snippet: readonly Segment[]): string {
  const word = snippet.find(({ hit }) => hit)?.text;
  return word === undefined ? '' : `#:~:text=${encodeURIComponent(word).replaceAll('-', '%2D')}`;
}

function itemOf(notebook: Notebook, { page, title, snippet }: PageFound) {
  const path = page.position === 0 ? urls.view(notebook.slug) : urls.viewPage(notebook.slug, page.id);
  return { href: path + placeOf(snippet), title, snippet };
}

/** When a name is there twice, the last one counts. */
function readQuery(query: unknown): string {
  const value = (query as { q?: string | string[] }).q;
  return ([value].flat().at(-1) ?? '').trim();
}

/** Ends with the connection: nobody waits for it then. */
async function find(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  notebook: Notebook,
  query: string,
): Promise<PageFound[]> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new Refusal('unavailable', { detail: 'The search was cancelled.' })));
  const leave = isWhole(notebook) ? () => {} : await enterLargeFind(clientOf(request));
  try {
    return await findInNotebook(parts, notebook, query, gone.signal, gateOf(parts, notebook.slug, presentedBy(request)));
  } finally {
    leave();
  }
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
  // A list of places is no text of its own, and what is not for everybody is kept nowhere.
  reply.header('x-robots-tag', 'noindex, nofollow');
  const cacheControl = cacheControlOf(seen);
  if (query === '') return sendMadeHtml(request, reply, renderFind(context.site, shown), cacheControl);
  try {
    const items = (await find(context, request, reply, notebook, query)).map(found => itemOf(notebook, found));
    return sendMadeHtml(request, reply, renderFind(context.site, { ...shown, query, items }), cacheControl);
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

/** Search inside one notebook: one more door behind the same gate. */
export function findRoutes(app: FastifyInstance, context: RouteContext): void {
  app.get<SlugPath>(urls.find(':slug'), { schema: { hide: true } }, async (request, reply) =>
    sendFind(context, request, reply, request.params.slug),
  );
}
