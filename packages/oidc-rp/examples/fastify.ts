import Fastify from 'fastify';
import type { PendingSignIn, RelyingParty, SignIn } from '../src/index.ts';

export function createApp(relyingParty: RelyingParty) {
  const pending = new Map<string, PendingSignIn>();
  const sessions = new Map<string, SignIn>();
  const app = Fastify();
  app.get('/sign-in', async (_request, reply) => {
    const started = await relyingParty.startSignIn({ returnTo: '/' });
    const id = keep(pending, started.pending);
    return reply.header('set-cookie', cookie('__Host-pending', id)).redirect(started.url.href);
  });
  app.get('/callback', async (request, reply) => {
    const signIn = await relyingParty.finishSignIn(
      request.raw as { method: string; url: string },
      take(pending, request.headers.cookie),
    );
    return reply.header('set-cookie', cookie('__Host-session', keep(sessions, signIn))).redirect(signIn.returnTo ?? '/');
  });
  app.get('/', async request => ({ signedIn: sessions.get(idIn('__Host-session', request.headers.cookie))?.identity ?? null }));
  app.setErrorHandler((error: { code?: string }, _request, reply) => reply.code(400).send({ code: error.code }));
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
