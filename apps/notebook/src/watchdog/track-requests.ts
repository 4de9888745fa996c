import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pulse } from './pulse.ts';

/** Uses the pattern, because a path may contain a slug or an edit token. */
function nameOf({ method, routeOptions }: FastifyRequest): string {
  return routeOptions.url === undefined ? 'unknown address' : `${method} ${routeOptions.url}`;
}

/** Tells the pulse which route is being worked on. Call it before the routes are added. */
export function trackRequests(app: FastifyInstance, pulse: Pulse): void {
  app.addHook('onRequest', async (request, reply) => {
    if (reply.raw.destroyed) return;
    const name = nameOf(request);
    pulse.begin(name);
    // Not `onResponse`, which does not run for every client that leaves before its answer.
    reply.raw.once('close', () => pulse.end(name));
  });
  app.addHook('preParsing', async request => pulse.touch(nameOf(request)));
  app.addHook('preHandler', async request => pulse.touch(nameOf(request)));
  app.addHook('onSend', async request => pulse.touch(nameOf(request)));
}
