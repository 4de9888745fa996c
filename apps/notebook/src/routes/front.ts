import type { FastifyInstance } from 'fastify';
import { urls } from '../urls.ts';
import { renderHome } from '../views/home.tsx';
import { renderNewNotebook } from '../views/new-notebook.tsx';
import type { HtmlDocument } from '../views/props.ts';
import { renderQuick } from '../views/quick.tsx';
import { getFinished, type RouteContext, sendFinished } from './context.ts';
import { landingLinks } from './landing.ts';
import { questions } from './written-content.ts';

/** The pages that are the same for everybody: home, new notebook, quick paste. */
export function frontRoutes(app: FastifyInstance, context: RouteContext): void {
  const { site, cache } = context;
  const hidden = { schema: { hide: true } };
  const page = (name: string, draw: () => HtmlDocument) => ({ name, draw });
  const home = page('home', () => renderHome(site, { deleted: false, questions, links: landingLinks }));
  const deleted = page('home-deleted', () => renderHome(site, { deleted: true, questions, links: landingLinks }));
  const newNotebook = page('new', () => renderNewNotebook(site, {}));
  const quick = page('quick', () => renderQuick(site, {}));

  const serve = (path: string, choose: (query: Record<string, unknown>) => typeof home) => {
    app.get(path, hidden, async (request, reply) => {
      const { name, draw } = choose(request.query as Record<string, unknown>);
      const made = await getFinished(cache, request, `front ${name}`, async () => draw());
      if (!made) return reply.callNotFound();
      return sendFinished(request, reply, made, 'no-cache');
    });
  };
  serve(urls.home(), query => (query.deleted === '1' ? deleted : home));
  serve(urls.newNotebook(), () => newNotebook);
  serve(urls.quick(), () => quick);
}
