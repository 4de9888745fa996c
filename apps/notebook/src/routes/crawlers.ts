import type { FastifyInstance } from 'fastify';
import { urls } from '../urls.ts';
import type { RouteContext } from './context.ts';

/**
 * This keeps nothing secret: pages that must not be listed say `noindex` themselves. The editor and the API have nothing to crawl. View
 * links are not disallowed, because a crawler that may not read them could not see their `noindex`.
 */
export function crawlerRoutes(app: FastifyInstance, { site }: RouteContext): void {
  const closed = ['Disallow: /api/', 'Disallow: /e/', 'Disallow: /edit/'];
  const robots = ['User-agent: *', ...closed, '', `Sitemap: ${site.publicUrl}${urls.sitemap()}`, ''].join('\n');
  app.get(urls.robots(), { schema: { hide: true } }, async (_request, reply) =>
    reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' }).send(robots),
  );
}
