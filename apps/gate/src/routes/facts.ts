import { GateError } from '../errors.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Context } from './context.ts';
import { findSession } from './context.ts';
import { refuse } from './refuse.ts';

/** `/gate/me`: who is signed in. Never contains a token of any kind. */
export async function me(context: Context): Promise<Answer> {
  const session = await findSession(context);
  if (session === undefined) return refuse(context, 'SIGN_IN_REQUIRED');
  const { identity } = session;
  return json(200, {
    provider: identity.provider,
    issuer: identity.issuer,
    subject: identity.subject,
    email: identity.email?.address ?? null,
    emailTrusted: identity.isEmailTrusted,
    name: identity.name ?? null,
    groups: identity.groups,
    signedInAt: session.createdAt.toISOString(),
    idleUntil: session.endsAt.toISOString(),
    endsAt: session.expiresAt.toISOString(),
  });
}

export function healthz(): Answer {
  return json(200, { status: 'ok' });
}

/** Ready means that the store answers. A provider that is down closes one way in, not the gate. */
export async function readyz({ parts }: Context): Promise<Answer> {
  try {
    await parts.store.ping();
    return json(200, { status: 'ready' });
  } catch {
    return json(503, { status: 'the store cannot be reached' }, { 'retry-after': '5' });
  }
}

/** Only for the machine's own collector: a request that came through a proxy came from outside. */
export async function metrics({ parts, peer, state, request }: Context): Promise<Answer> {
  const cameThrough = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host'].some(
    name => request.headers[name] !== undefined,
  );
  if (cameThrough || !state.metricsFrom.has(peer.address)) throw new GateError('NOT_FOUND');
  return {
    status: 200,
    headers: { 'content-type': parts.metrics.registry.contentType },
    body: await parts.metrics.registry.metrics(),
  };
}

export function jwks({ parts }: Context): Answer {
  if (parts.identityToken === undefined) throw new GateError('NOT_FOUND');
  return json(200, parts.identityToken.jwks, { 'cache-control': 'public, max-age=300' });
}
