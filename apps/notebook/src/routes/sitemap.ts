import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import { listLinks, planSitemap, type SitemapFile } from '../operations/list-links.ts';
import { urls } from '../urls.ts';
import { escapeXml } from '../views/xml.ts';
import { clientOf, type RouteContext } from './context.ts';
import { pathOfPage } from './search.ts';
import { sendTextStream } from './text-stream.ts';

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const fixedPaths = [
  urls.home(),
  urls.newNotebook(),
  urls.quick(),
  urls.search(),
  ...Object.values(urls.landing).map(path => path()),
];

/** How often the boundaries between the files are computed; their content is read on every request. */
const planMillis = 600_000;

/** `linksPerFile` defaults to the sitemap protocol's limit; tests use less. */
export function sitemapRoutes(app: FastifyInstance, context: RouteContext, linksPerFile: number = limits.maxSitemapLinks): void {
  const { parts, site } = context;
  const notebookLinks = linksPerFile - fixedPaths.length;
  let plan: { files: Promise<SitemapFile[]>; madeAt: number } | undefined;
  const planned = () => {
    if (!plan || parts.now() - plan.madeAt >= planMillis || parts.now() < plan.madeAt) {
      plan = { files: planSitemap(parts, notebookLinks), madeAt: parts.now() };
      plan.files.catch(() => {
        plan = undefined;
      });
    }
    return plan.files;
  };
  const entry = (tag: string, path: string, lastmod: number | undefined) => {
    const changed = lastmod === undefined ? '' : `<lastmod>${new Date(lastmod).toISOString()}</lastmod>`;
    return `<${tag}><loc>${escapeXml(site.publicUrl + path)}</loc>${changed}</${tag}>\n`;
  };

  async function* linkFile(files: readonly SitemapFile[], at: number): AsyncGenerator<string> {
    yield `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${namespace}">\n`;
    if (at === 0) for (const path of fixedPaths) yield entry('url', path, undefined);
    for await (const link of listLinks(parts, files[at]!, files[at + 1], notebookLinks)) {
      yield entry('url', pathOfPage(link), link.updatedAt);
    }
    yield '</urlset>\n';
  }

  async function* indexFile(files: readonly SitemapFile[]): AsyncGenerator<string> {
    yield `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${namespace}">\n`;
    for (const [at, { updatedAt }] of files.entries()) yield entry('sitemap', urls.sitemapPart(at + 1), updatedAt);
    yield '</sitemapindex>\n';
  }

  const hidden = { schema: { hide: true } };
  app.get(urls.sitemap(), hidden, async (request, reply) => {
    const files = await planned();
    return sendTextStream(
      reply,
      clientOf(request),
      'application/xml',
      files.length === 1 ? linkFile(files, 0) : indexFile(files),
    );
  });
  app.get<{ Params: { number: string } }>(urls.sitemapPart(':number(^\\d{1,5}$)'), hidden, async (request, reply) => {
    const files = await planned();
    const at = Number(request.params.number) - 1;
    if (files.length === 1 || !files[at]) throw new Refusal('not_found');
    return sendTextStream(reply, clientOf(request), 'application/xml', linkFile(files, at));
  });
}
