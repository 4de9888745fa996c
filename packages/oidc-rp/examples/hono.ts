import { Hono } from 'hono';
import { readRequest } from '../src/hono.ts';
import { BrowserSignIn, type PendingCookies, type RelyingParty } from '../src/index.ts';
import type { Sessions } from './sessions.ts';

export function createApp(relyingParty: RelyingParty, cookies: PendingCookies, sessions: Sessions) {
  const signIn = new BrowserSignIn({ relyingParty, cookies, createSession: done => sessions.create(done) });
  const app = new Hono();
  app.get('/sign-in', context => signIn.start(context.req.header('cookie'), { returnTo: '/' }));
  app.on(['GET', 'POST'], '/callback', async context => signIn.finish(await readRequest(context), context.req.header('cookie')));
  app.post('/backchannel-logout', async context =>
    relyingParty.answerBackChannelLogout(await readRequest(context), logout => sessions.end(logout)),
  );
  app.get('/', async context =>
    context.json({ signedIn: (await sessions.find(context.req.header('cookie')))?.identity ?? null }),
  );
  return app;
}
