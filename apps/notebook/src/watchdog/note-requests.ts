import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pulse } from './pulse.ts';

/** The pattern, because a path may hold a slug or an edit token. */
function nameOf({ method, routeOptions }: FastifyRequest): string {
  return routeOptions.url === undefined ? 'unknown address' : `${method} ${routeOptions.url}`;
}

/** Tells the pulse which route is worked at. Before the routes are added. */
export function noteRequests(app: FastifyInstance, pulse: Pulse): void {
  // One that was refused before it came here is answered all the same.
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
