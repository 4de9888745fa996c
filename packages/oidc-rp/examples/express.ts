import express, { type NextFunction, type Request, type Response } from 'express';
import type { PendingSignIn, RelyingParty, SignIn } from '../src/index.ts';

export function createApp(relyingParty: RelyingParty) {
  const pending = new Map<string, PendingSignIn>();
  const sessions = new Map<string, SignIn>();
  const app = express();
  app.get('/sign-in', async (_request, response) => {
    const started = await relyingParty.startSignIn({ returnTo: '/' });
    const id = keep(pending, started.pending);
    response.set('set-cookie', cookie('__Host-pending', id)).redirect(started.url.href);
  });
  app.get('/callback', async (request, response) => {
    const signIn = await relyingParty.finishSignIn(
      { method: request.method, url: request.url },
      take(pending, request.headers.cookie),
    );
    response.set('set-cookie', cookie('__Host-session', keep(sessions, signIn))).redirect(signIn.returnTo ?? '/');
  });
  app.get('/', (request, response) => {
    response.json({ signedIn: sessions.get(idIn('__Host-session', request.headers.cookie))?.identity ?? null });
  });
  app.use((error: { code?: string }, _request: Request, response: Response, _next: NextFunction) => {
    response.status(400).json({ code: error.code });
  });
  return app;
}

const cookie = (name: string, id: string) => `${name}=${id}; Path=/; Secure; HttpOnly; SameSite=Lax`;
// super-linear: of our own cookies' names.
const idIn = (name: string, cookies = '') => new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(cookies)?.[1] ?? '';

function keep<T>(kept: Map<string, T>, value: T) {
  const id = crypto.randomUUID();
  kept.set(id, value);
  return id;
}

function take(pending: Map<string, PendingSignIn>, cookies: string | undefined) {
  const id = idIn('__Host-pending', cookies);
  const found = pending.get(id);
  pending.delete(id);
  return found;
}
