import { Hono } from 'hono';
import { errorResponse, readRequest, send } from '../src/hono.ts';
import { type PendingCookies, readReturnTo, type ServiceProvider } from '../src/index.ts';
import type { Sessions } from './sessions.ts';

export function createApp(sp: ServiceProvider, identityProvider: string, cookies: PendingCookies, sessions: Sessions) {
  const app = new Hono();

  app.get('/saml/metadata', c => c.body(sp.metadata(), 200, { 'content-type': 'application/samlmetadata+xml' }));

  app.get('/sign-in', async c => {
    const returnTo = readReturnTo(c.req.query('returnTo') ?? '/');
    const started = await sp.startSignIn(identityProvider, { returnTo });
    return send(started.send, cookies.keep(started.pending, c.req.header('cookie')));
  });

  app.post('/saml/acs', async c => {
    const incoming = await readRequest(c);
    const { pending, clear } = await cookies.takeSignIn(incoming, c.req.header('cookie'));
    const identity = await sp.finishSignIn(incoming, pending);
    const session = await sessions.create(identity);
    // Redirect to identity.returnTo here; this answer shows what there is.
    const body = { issuer: identity.issuer, nameId: identity.nameId?.value, returnTo: identity.returnTo };
    return send(Response.json(body), [...clear, ...session]);
  });

  app.onError(error => errorResponse(error));
  return app;
}
