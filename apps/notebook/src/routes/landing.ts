import type { FastifyInstance } from 'fastify';
import { urls } from '../urls.ts';
import { renderLanding } from '../views/landing.tsx';
import { getFinished, type RouteContext, sendFinished } from './context.ts';
import { landingTexts } from './written-content.ts';

const names = Object.keys(landingTexts) as (keyof typeof landingTexts)[];

/** The links to topic pages in the footer of the home and landing pages. */
export const landingLinks = names.map(name => ({ href: urls.landing[name](), title: landingTexts[name].title }));

/** The topic pages: written in markdown in content/landing, rendered by the same renderer as every note. */
export function landingRoutes(app: FastifyInstance, { parts, site, cache }: RouteContext): void {
  for (const name of names) {
    const { title, description, markdown } = landingTexts[name];
    const path = urls.landing[name]();
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      const page = await getFinished(cache, request, `landing ${name}`, async () => {
        const { html, plain } = await parts.renderer.render(markdown.replaceAll('{publicUrl}', site.publicUrl));
        const links = landingLinks.filter(({ href }) => href !== path);
        const keepMillis = plain ? 0 : Number.POSITIVE_INFINITY;
        return { ...renderLanding(site, { title, description, html, path, links }), keepMillis };
      });
      if (!page) return reply.callNotFound();
      return sendFinished(request, reply, page, 'no-cache');
    });
  }
}
