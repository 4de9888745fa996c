import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptSaml, errorResponse, readRequest, send } from '../src/fastify.ts';
import { type PendingCookies, readReturnTo, type ServiceProvider } from '../src/index.ts';
import type { Sessions } from './sessions.ts';

export function createApp(sp: ServiceProvider, identityProvider: string, cookies: PendingCookies, sessions: Sessions) {
  const app = Fastify();
  acceptSaml(app);

  app.get('/saml/metadata', (_request, reply) => reply.type('application/samlmetadata+xml').send(sp.metadata()));

  app.get('/sign-in', async (request: FastifyRequest<{ Querystring: { returnTo?: string } }>, reply: FastifyReply) => {
    const returnTo = readReturnTo(request.query.returnTo ?? '/');
    const started = await sp.startSignIn(identityProvider, { returnTo });
    await send(reply, started.send, cookies.keep(started.pending, request.headers.cookie));
  });

  app.post('/saml/acs', async (request, reply) => {
    const incoming = readRequest(request);
    const { pending, clear } = await cookies.takeSignIn(incoming, request.headers.cookie);
    const identity = await sp.finishSignIn(incoming, pending);
    const session = await sessions.create(identity);
    // Redirect to identity.returnTo here; this answer shows what there is.
    return reply
      .header('set-cookie', [...clear, ...session])
      .send({ issuer: identity.issuer, nameId: identity.nameId?.value, returnTo: identity.returnTo });
  });

  app.setErrorHandler((error, _request, reply) => send(reply, errorResponse(error)));
  return app;
}
