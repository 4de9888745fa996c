import type { FastifyInstance } from 'fastify';
import { urls } from '../urls.ts';
import { renderHome } from '../views/home.tsx';
import { renderNewNotebook } from '../views/new-notebook.tsx';
import { renderQuick } from '../views/quick.tsx';
import { type RouteContext, sendCompressed } from './context.ts';

/** The pages that are the same for everybody: home, new notebook, quick paste. */
export function frontRoutes(app: FastifyInstance, context: RouteContext): void {
  const { site, cache, build } = context;
  const hidden = { schema: { hide: true } };
  const page = (name: string, draw: () => string) => ({ name, draw });
  const home = page('home', () => renderHome(site, { deleted: false }));
  const deleted = page('home-deleted', () => renderHome(site, { deleted: true }));
  const newNotebook = page('new', () => renderNewNotebook(site, {}));
  const quick = page('quick', () => renderQuick(site, {}));

  const serve = (path: string, choose: (query: Record<string, unknown>) => typeof home) => {
    app.get(path, hidden, async (request, reply) => {
      const { name, draw } = choose(request.query as Record<string, unknown>);
      const made = await cache.get(`front ${name}`, async () => draw());
      if (!made) return reply.callNotFound();
      return sendCompressed(request, reply, made, `W/"${name}-${build}"`, 'no-cache');
    });
  };
  serve(urls.home(), query => (query.deleted === '1' ? deleted : home));
  serve(urls.newNotebook(), () => newNotebook);
  serve(urls.quick(), () => quick);
}
