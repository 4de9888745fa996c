import type { FastifyInstance } from 'fastify';
import { frameHeaders } from '../http/security-headers.ts';
import { urls } from '../urls.ts';
import { renderDiagramFrame } from '../views/diagram-frame.ts';
import type { RouteContext } from './context.ts';

/** Where diagrams are drawn: the same for everybody, knows nothing, reaches nothing. */
export function diagramRoutes(app: FastifyInstance, { site }: RouteContext): void {
  const html = renderDiagramFrame(site);
  app.get(urls.diagram(), { schema: { hide: true } }, async (_request, reply) =>
    reply.headers({ ...frameHeaders, 'cache-control': 'no-cache', 'x-robots-tag': 'noindex' }).send(html),
  );
}
