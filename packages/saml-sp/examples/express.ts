import express, { type NextFunction, type Request, type Response } from 'express';
import { errorResponse, readRequest, send } from '../src/express.ts';
import { type PendingCookies, readReturnTo, type ServiceProvider } from '../src/index.ts';
import type { Sessions } from './sessions.ts';

/** Mount it where you like: `app.use('/auth', createRouter(…))`. A body parser before it does no harm. */
export function createRouter(sp: ServiceProvider, identityProvider: string, cookies: PendingCookies, sessions: Sessions) {
  const router = express.Router();

  router.get('/saml/metadata', (_request, response) => {
    response.type('application/samlmetadata+xml').send(sp.metadata());
  });

  router.get('/sign-in', async (request, response) => {
    const returnTo = readReturnTo(request.query.returnTo ?? '/');
    const started = await sp.startSignIn(identityProvider, { returnTo });
    await send(response, started.send, cookies.keep(started.pending, request.headers.cookie));
  });

  router.post('/saml/acs', async (request, response) => {
    const incoming = await readRequest(request);
    const { pending, clear } = await cookies.takeSignIn(incoming, request.headers.cookie);
    const identity = await sp.finishSignIn(incoming, pending);
    const session = await sessions.create(identity);
    // Redirect to identity.returnTo here; this answer shows what there is.
    response
      .set('set-cookie', [...clear, ...session])
      .send({ issuer: identity.issuer, nameId: identity.nameId?.value, returnTo: identity.returnTo });
  });

  router.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    send(response, errorResponse(error)),
  );
  return router;
}
