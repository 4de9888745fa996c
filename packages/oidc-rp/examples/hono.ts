import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { PendingSignIn, RelyingParty, SignIn } from '../src/index.ts';

export function createApp(relyingParty: RelyingParty) {
  const pending = new Map<string, PendingSignIn>();
  const sessions = new Map<string, SignIn>();
  const app = new Hono();
  app.get('/sign-in', async context => {
    const started = await relyingParty.startSignIn({ returnTo: '/' });
    setCookie(context, 'pending', keep(pending, started.pending), protection);
    return context.redirect(started.url.href);
  });
  app.get('/callback', async context => {
    const id = getCookie(context, 'pending', 'host') ?? '';
    const signIn = await relyingParty.finishSignIn(context.req.raw, pending.get(id)).finally(() => pending.delete(id));
    setCookie(context, 'session', keep(sessions, signIn), protection);
    return context.redirect(signIn.returnTo ?? '/');
  });
  app.get('/', context =>
    context.json({ signedIn: sessions.get(getCookie(context, 'session', 'host') ?? '')?.identity ?? null }),
  );
  app.onError((error, context) => context.json({ code: (error as { code?: string }).code }, 400));
  return app;
}

const protection = { prefix: 'host', httpOnly: true, sameSite: 'Lax' } as const;

function keep<T>(kept: Map<string, T>, value: T) {
  const id = crypto.randomUUID();
  kept.set(id, value);
  return id;
}
