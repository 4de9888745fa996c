import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { type PendingSignIn, SamlError, type ServiceProvider } from '../src/index.ts';

export function createApp(sp: ServiceProvider, identityProvider: string) {
  const app = Fastify();
  const underWay = new Map<string, PendingSignIn>(); // with several processes: in their shared store
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  app.get('/saml/metadata', (_request, reply) => reply.type('application/samlmetadata+xml').send(sp.metadata()));
  app.get('/sign-in', async (_request, reply) => {
    const { send, pending } = await sp.startSignIn(identityProvider, { binding: 'redirect' });
    const browser = randomUUID();
    underWay.set(browser, pending);
    return reply.header('set-cookie', `sign-in=${browser}; Path=/saml; HttpOnly; Secure; SameSite=None`).redirect(send.url);
  });
  app.post('/saml/acs', async (request, reply) => {
    const browser = /sign-in=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const http = { method: 'POST', url: '/saml/acs', contentType: request.headers['content-type'], body: String(request.body) };
    const identity = await sp.finishSignIn(http, underWay.get(browser));
    underWay.delete(browser);
    return reply.send({ issuer: identity.issuer, nameId: identity.nameId?.value }); // here begins your own session
  });
  app.setErrorHandler((error, _request, reply) =>
    reply.code(403).send({ error: error instanceof SamlError ? error.code : 'failed' }),
  );
  return app;
}
