import type { FastifyInstance } from 'fastify';
import { frameHeadersFor } from '../http/answers/security-headers.ts';
import { urls } from '../urls.ts';
import { renderDiagramFrame } from '../views/diagram-frame.ts';
import type { RouteContext } from './context.ts';

/** The page that draws diagrams: it knows nothing, reaches nothing, and except for its nonce is the same for everybody. */
export function diagramRoutes(app: FastifyInstance, { site, parts }: RouteContext): void {
  app.get(urls.diagram(), { schema: { hide: true } }, async (_request, reply) => {
    const nonce = Buffer.from(parts.randomBytes(16)).toString('base64url');
    // A cached page with a new policy would have a nonce that no longer matches.
    const headers = { ...frameHeadersFor(nonce), 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };
    return reply.headers(headers).send(renderDiagramFrame(site, nonce));
  });
}
