import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { type PendingSignIn, SamlError, type ServiceProvider } from '../src/index.ts';

export function createApp(sp: ServiceProvider, identityProvider: string) {
  const app = new Hono();
  const underWay = new Map<string, PendingSignIn>(); // with several processes: in their shared store
  app.get('/saml/metadata', c => c.body(sp.metadata(), 200, { 'content-type': 'application/samlmetadata+xml' }));
  app.get('/sign-in', async c => {
    const { send, pending } = await sp.startSignIn(identityProvider, { binding: 'redirect' });
    const browser = randomUUID();
    underWay.set(browser, pending);
    setCookie(c, 'sign-in', browser, { path: '/saml', httpOnly: true, secure: true, sameSite: 'None' });
    return c.redirect(send.url);
  });
  app.post('/saml/acs', async c => {
    const browser = getCookie(c, 'sign-in') ?? '';
    const http = { method: 'POST', url: '/saml/acs', contentType: c.req.header('content-type'), body: await c.req.text() };
    const identity = await sp.finishSignIn(http, underWay.get(browser));
    underWay.delete(browser);
    return c.json({ issuer: identity.issuer, nameId: identity.nameId?.value }); // here begins your own session
  });
  app.onError((error, c) => c.json({ error: error instanceof SamlError ? error.code : 'failed' }, 403));
  return app;
}
