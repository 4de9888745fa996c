import { randomUUID } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { type PendingSignIn, SamlError, type ServiceProvider } from '../src/index.ts';

export function createApp(sp: ServiceProvider, identityProvider: string) {
  const app = express();
  const underWay = new Map<string, PendingSignIn>(); // with several processes: in their shared store
  app.get('/saml/metadata', (_request, response) => void response.type('application/samlmetadata+xml').send(sp.metadata()));
  app.get('/sign-in', async (_request, response) => {
    const { send, pending } = await sp.startSignIn(identityProvider, { binding: 'redirect' });
    const browser = randomUUID();
    underWay.set(browser, pending);
    response.set('set-cookie', `sign-in=${browser}; Path=/saml; HttpOnly; Secure; SameSite=None`).redirect(send.url);
  });
  app.post(
    '/saml/acs',
    express.text({ type: 'application/x-www-form-urlencoded', limit: '600kb' }),
    async (request, response) => {
      const browser = /sign-in=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
      const http = { method: 'POST', url: '/saml/acs', contentType: request.headers['content-type'], body: String(request.body) };
      const identity = await sp.finishSignIn(http, underWay.get(browser));
      underWay.delete(browser);
      response.send({ issuer: identity.issuer, nameId: identity.nameId?.value }); // here begins your own session
    },
  );
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(403).send({ error: error instanceof SamlError ? error.code : 'failed' });
  });
  return app;
}
