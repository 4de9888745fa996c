import express from 'express';
import { readRequest, sendResponse } from '../src/express.ts';
import { BrowserSignIn, type PendingCookies, type RelyingParty } from '../src/index.ts';
import type { Sessions } from './sessions.ts';

export function createRouter(relyingParty: RelyingParty, cookies: PendingCookies, sessions: Sessions) {
  const signIn = new BrowserSignIn({ relyingParty, cookies, createSession: done => sessions.create(done) });
  const router = express.Router();
  router.get('/sign-in', async (request, response) =>
    sendResponse(response, await signIn.start(request.headers.cookie, { returnTo: '/' })),
  );
  router.all('/callback', async (request, response) =>
    sendResponse(response, await signIn.finish(await readRequest(request), request.headers.cookie)),
  );
  router.post('/backchannel-logout', async (request, response) =>
    sendResponse(
      response,
      await relyingParty.answerBackChannelLogout(await readRequest(request), logout => sessions.end(logout)),
    ),
  );
  router.get('/', async (request, response) => {
    response.json({ signedIn: (await sessions.find(request.headers.cookie))?.identity ?? null });
  });
  return router;
}

export function createApp(relyingParty: RelyingParty, cookies: PendingCookies, sessions: Sessions) {
  return express().use(createRouter(relyingParty, cookies, sessions));
}
