import type { FastifyInstance } from 'fastify';
import { urls } from '../urls.ts';
import { renderOffline } from '../views/offline.tsx';
import { getFinished, type RouteContext, sendFinished } from './context.ts';

/** Applies to the worker's own requests; its answers have the policy of the kept page. */
const workerPolicy = "default-src 'none'; connect-src 'self'";

/** The service worker, and the page that it shows for pages it has not kept. */
export function offlineRoutes(app: FastifyInstance, { site, cache, offlineWorker }: RouteContext): void {
  const hidden = { schema: { hide: true } };
  app.get(urls.offlineWorker(), hidden, async (request, reply) => {
    const made = await getFinished(cache, request, 'offline worker', async () => offlineWorker);
    if (!made) return reply.callNotFound();
    return sendFinished(request, reply, made, 'no-cache', {
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': workerPolicy,
    });
  });
  app.get(urls.offline(), hidden, async (request, reply) => {
    const made = await getFinished(cache, request, 'offline page', async () => renderOffline(site));
    if (!made) return reply.callNotFound();
    return sendFinished(request, reply.header('x-robots-tag', 'noindex'), made, 'no-cache');
  });
}
