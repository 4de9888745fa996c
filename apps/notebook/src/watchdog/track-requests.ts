import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pulse } from './pulse.ts';

/** Uses the pattern, because a path may contain a slug or an edit token. */
function nameOf({ method, routeOptions }: FastifyRequest): string {
  return routeOptions.url === undefined ? 'unknown address' : `${method} ${routeOptions.url}`;
}

/** Tells the pulse which route is being worked on. Call it before the routes are added. */
export function trackRequests(app: FastifyInstance, pulse: Pulse): void {
  // A request that was refused before this hook is also answered, but was never counted.
  const begun = new WeakSet<FastifyRequest>();
  app.addHook('onRequest', async request => {
    begun.add(request);
    pulse.begin(nameOf(request));
  });
  app.addHook('preParsing', async request => pulse.touch(nameOf(request)));
  app.addHook('preHandler', async request => pulse.touch(nameOf(request)));
  app.addHook('onSend', async request => pulse.touch(nameOf(request)));
  app.addHook('onResponse', async request => {
    if (begun.delete(request)) pulse.end(nameOf(request));
  });
}
