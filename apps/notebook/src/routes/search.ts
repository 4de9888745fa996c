import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as calls from '../api/calls.ts';
import { answers } from '../api/schemas.ts';
import { SearchAnswer, SearchQuery } from '../api/search-schemas.ts';
import { Refusal } from '../errors.ts';
import type { Segment } from '../model/hits.ts';
import { type Found, type FoundPage, type Search, searchNotebooks } from '../operations/search-notebooks.ts';
import { urls } from '../urls.ts';
import { renderSearch } from '../views/search.tsx';
import { clientOf, type RouteContext, sendHtml } from './context.ts';
import { on } from './on.ts';

/** The same address that search engines know: a notebook's first page is the notebook itself. */
export function pathOfPage({ slug, pageId, position }: Pick<FoundPage, 'slug' | 'pageId' | 'position'>): string {
  return position === 0 ? urls.view(slug) : urls.viewPage(slug, pageId);
}

const textOf = (segments: readonly Segment[]) => segments.map(({ text }) => text).join('');

function searchAnswer({ items, page, more }: Found, publicUrl: string) {
  return {
    items: items.map(item => ({
      slug: item.slug,
      pageId: item.pageId,
      title: textOf(item.title),
      notebookTitle: textOf(item.notebookTitle),
      url: publicUrl + pathOfPage(item),
      snippet: item.snippet,
      updatedAt: new Date(item.updatedAt).toISOString(),
    })),
    page,
    more,
  };
}

/** Reads an address that anybody may have typed. When a parameter is present twice, the last one counts. */
function readAddress(query: unknown): { q: string | undefined; page: number } {
  const { q, page = '1' } = Object.fromEntries(
    Object.entries(query as Record<string, string | string[]>).map(([name, value]) => [name, [value].flat().at(-1)]),
  );
  return { q, page: /^\d{1,4}$/.test(page) ? Number(page) : Number.NaN };
}

/** Aborts when the connection ends: nobody waits for the answer any more. */
function searcher(request: FastifyRequest, reply: FastifyReply): Pick<Search, 'client' | 'signal'> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new Refusal('unavailable', { detail: 'The search was cancelled.' })));
  return { client: clientOf(request), signal: gone.signal };
}

export function searchRoutes(app: FastifyInstance, { parts, site }: RouteContext): void {
  on<{ Querystring: SearchQuery }>(
    app,
    calls.search,
    [],
    {
      schema: {
        tags: ['search'],
        summary: 'Search the pages of public notebooks',
        querystring: SearchQuery,
        response: answers(200, SearchAnswer, 'invalid'),
      },
    },
    async (request, reply) => {
      const { q, page = '1' } = request.query;
      const found = await searchNotebooks(parts, { query: q, page: Number(page), ...searcher(request, reply) });
      return searchAnswer(found, site.publicUrl);
    },
  );

  app.get(urls.search(), { schema: { hide: true } }, async (request, reply) => {
    const { q, page } = readAddress(request.query);
    if (q === undefined || q.trim() === '') return sendHtml(reply, 200, renderSearch(site, {}), 'no-cache');
    // A result list is not a text of its own, and it is endless: search engines must not follow it.
    reply.header('x-robots-tag', 'noindex, nofollow');
    try {
      const found = await searchNotebooks(parts, { query: q, page, ...searcher(request, reply) });
      const items = found.items.map(item => ({ ...item, href: pathOfPage(item) }));
      return sendHtml(reply, 200, renderSearch(site, { ...found, items }), 'private, no-cache');
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid') throw error;
      return sendHtml(reply, error.status, renderSearch(site, { query: q, fault: error.extras.errors?.[0] }), 'no-store');
    }
  });
}
