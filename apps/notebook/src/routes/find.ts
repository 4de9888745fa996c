import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';
import type { Segment } from '../model/hits.ts';
import type { Notebook } from '../model/notebook.ts';
import { findInNotebook, type PageFound } from '../operations/find-in-notebook.ts';
import { fitsInOneAnswer } from '../operations/read-notebook.ts';
import { createAccessCheck } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { renderFind } from '../views/find.tsx';
import { clientOf, type RouteContext, readCredentials, type SlugPath, sendHtml, sendMadeHtml } from './context.ts';
import { enterLargeFind } from './large-reads.ts';
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

/** Aborts when the connection ends: nobody is waiting any more. */
async function find(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  notebook: Notebook,
  query: string,
): Promise<PageFound[]> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new Refusal('unavailable', { detail: 'The search was cancelled.' })));
  const leave = fitsInOneAnswer(notebook) ? () => {} : await enterLargeFind(clientOf(request));
  try {
    return await findInNotebook(
      parts,
      notebook,
      query,
      gone.signal,
      createAccessCheck(parts, notebook.slug, readCredentials(request)),
    );
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
  // A result list is not a text of its own, and results that are not for everybody are cached nowhere.
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

/** Search inside one notebook, behind the same access check as every other route. */
export function findRoutes(app: FastifyInstance, context: RouteContext): void {
  app.get<SlugPath>(urls.find(':slug'), { schema: { hide: true } }, async (request, reply) =>
    sendFind(context, request, reply, request.params.slug),
  );
}
