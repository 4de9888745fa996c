import { unescape as decoded } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { embedCode, embedUrls } from '../embed-code.ts';
import { invalid, Refusal } from '../errors.ts';
import { framedHeaders } from '../http/answers/security-headers.ts';
import { decideAccess } from '../model/access.ts';
import { isShared } from '../model/listed.ts';
import type { Notebook } from '../model/notebook.ts';
import { findPageAt } from '../model/page-address.ts';
import { fragmentOf } from '../operations/resolve-page-links.ts';
import { showPage } from '../operations/view-notebook.ts';
import { renderEmbed } from '../views/embed.tsx';
import { escapeXml } from '../views/xml.ts';
import { clientOf, etagMatches, getFinished, type RouteContext, type SlugPath, sendFinished, versionEtag } from './context.ts';
import { drawn, headOf } from './draw-view.ts';
import { cacheControlOf, Interstitial, makeSeen, requireVisible } from './view.ts';

/** The owner allowed it, and anyone with the link may read it: a frame shows nothing that the link alone would not. */
function mayBeFramed(notebook: Notebook, now: number): boolean {
  return notebook.embedding && isShared(notebook) && decideAccess(notebook, {}, now).kind === 'reader';
}

const EmbedQuery = Type.Object({ page: Type.Optional(Type.String({ maxLength: 64 })) });
const pixels = Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,5}$', description: 'pixels' }));
const OembedQuery = Type.Object({
  url: Type.Optional(Type.String({ maxLength: 2_000 })),
  format: Type.Optional(Type.String({ maxLength: 20 })),
  maxwidth: pixels,
  maxheight: pixels,
});

export function embedRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts, site } = context;

  app.get<SlugPath & { Querystring: Static<typeof EmbedQuery> }>(
    embedUrls.embed(':slug'),
    { schema: { hide: true, querystring: EmbedQuery } },
    async (request, reply) => {
      const { slug } = request.params;
      const first = await requireVisible(context, request, slug);
      if (first instanceof Interstitial) return first.send(reply);
      const pageId = request.query.page;
      const made = await makeSeen(context, request, first, ({ notebook }) => {
        if (!mayBeFramed(notebook, parts.now())) throw new Refusal('not_found');
        return getFinished(context.cache, request, `embed ${notebook.id} ${notebook.version} ${pageId ?? ''}`, async () => {
          const shown = await showPage(
            parts,
            notebook,
            pageId,
            clientOf(request),
            (head, heading) => embedUrls.embedPage(slug, head.id) + fragmentOf(heading),
          );
          if (!shown) return undefined;
          const { heads, head, titleOf, rendered } = shown;
          const pages = heads.map(other => ({
            id: other.id,
            title: titleOf(other).title,
            href: embedUrls.embedPage(slug, other.id),
            current: other === head,
          }));
          const own = {
            id: head.id,
            ...titleOf(head),
            updatedAt: head.updatedAt,
            ...rendered,
          };
          const draw = () => renderEmbed(site, { notebook: headOf(notebook, heads.length), page: own, pages });
          return drawn(parts.texts.on(head, draw), [shown]);
        });
      });
      if (made instanceof Interstitial) return made.send(reply);
      const { seen, page } = made;
      if (!page) throw new Refusal('not_found');
      reply.header('x-robots-tag', 'noindex');
      const headers = framedHeaders(app.htmlHeaders(page));
      reply.removeHeader('x-frame-options');
      return sendFinished(request, reply, page, cacheControlOf(seen), headers);
    },
  );

  app.get<{ Querystring: Static<typeof OembedQuery> }>(
    embedUrls.oembed(),
    { schema: { hide: true, querystring: OembedQuery } },
    async (request, reply) => {
      const { url, format = 'json', maxwidth = '640', maxheight = '480' } = request.query;
      if (url === undefined) throw invalid('url', 'is missing');
      if (format !== 'json' && format !== 'xml')
        throw new Refusal('not_implemented', { detail: 'The formats are json and xml.' });
      const { notebook, pageId } = await findFramed(context, request, url);
      const [width, height] = [Math.min(640, Number(maxwidth)), Math.min(480, Number(maxheight))];
      const etag = versionEtag('oembed', notebook, context.build);
      reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex' });
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.header('etag', etag).code(304).send();
      const answer = {
        version: '1.0',
        type: 'rich',
        provider_name: 'Octavo',
        provider_url: site.publicUrl,
        title: notebook.title,
        html: embedCode(site.publicUrl, { ...notebook, pageId }, width, height),
        width,
        height,
        cache_age: 300,
      };
      if (format === 'json') return reply.header('etag', etag).send(answer);
      return reply.header('etag', etag).type('text/xml; charset=utf-8').send(toXml(answer));
    },
  );
}

interface Framed {
  readonly notebook: Notebook;
  /** Absent: the first page. */
  readonly pageId: string | undefined;
}

/** The notebook and the page of one of our view links; everything else gets the same 404. */
async function findFramed(context: RouteContext, request: Parameters<typeof requireVisible>[1], url: string): Promise<Framed> {
  const { parts, site } = context;
  const path = URL.parse(url)?.href.startsWith(`${site.publicUrl}/`) ? url.slice(site.publicUrl.length) : '';
  const [, slug, page] = /^\/n\/([a-z0-9-]{3,64})(?:\/p\/([^/?#]{1,1000}))?(?:[?#]|$)/.exec(path) ?? [];
  if (slug === undefined) throw new Refusal('not_found');
  const seen = await requireVisible(context, request, slug);
  if (seen instanceof Interstitial || !mayBeFramed(seen.notebook, parts.now())) throw new Refusal('not_found');
  const { notebook } = seen;
  if (page === undefined) return { notebook, pageId: undefined };
  const head = findPageAt(await parts.store.listPageHeads(notebook.id), decoded(page));
  if (!head) throw new Refusal('not_found');
  return { notebook, pageId: head.position === 0 ? undefined : head.id };
}

function toXml(answer: Readonly<Record<string, string | number>>): string {
  const fields = Object.entries(answer).map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`);
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>\n${fields.join('\n')}\n</oembed>\n`;
}
