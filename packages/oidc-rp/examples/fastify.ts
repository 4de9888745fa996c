import Fastify from 'fastify';
import { acceptForms, readRequest, sendResponse } from '../src/fastify.ts';
import { BrowserSignIn, type PendingCookies, type RelyingParty } from '../src/index.ts';
import type { Sessions } from './sessions.ts';

export function createApp(relyingParty: RelyingParty, cookies: PendingCookies, sessions: Sessions) {
  const signIn = new BrowserSignIn({ relyingParty, cookies, createSession: done => sessions.create(done) });
  const app = Fastify();
  acceptForms(app);
  app.get('/sign-in', async (request, reply) =>
    sendResponse(reply, await signIn.start(request.headers.cookie, { returnTo: '/' })),
  );
  app.route({
    method: ['GET', 'POST'],
    url: '/callback',
    handler: async (request, reply) =>
      sendResponse(reply, await signIn.finish(await readRequest(request), request.headers.cookie)),
  });
  app.post('/backchannel-logout', async (request, reply) =>
    sendResponse(reply, await relyingParty.answerBackChannelLogout(await readRequest(request), logout => sessions.end(logout))),
  );
  app.get('/', async request => ({ signedIn: (await sessions.find(request.headers.cookie))?.identity ?? null }));
  return app;
}
