import { GateError } from '../errors.ts';
import { type Answer, page, pageWithForm } from '../http/answer.ts';
import { writeCookie } from '../http/cookies.ts';
import { isSameOrigin } from '../http/navigation.ts';
import { sourceOf } from '../http/peer.ts';
import { errorFields } from '../operate/log.ts';
import type { Session } from '../sessions/sessions.ts';
import { OidcDoor } from '../sign-in/oidc.ts';
import { renderSignedOut, renderSignOut } from '../views/message.tsx';
import { browserSecret, browserSecrets, type Context, findSession, siteName } from './context.ts';
import { sendOn } from './sign-in.ts';

/** Asks on GET, because any page can make a browser GET; signs out on POST from our own page. */
export async function signOut(context: Context): Promise<Answer> {
  const session = await findSession(context);
  if (context.request.method !== 'POST') return confirmation(context, session);
  if (isSameOrigin(context.request.headers, context.state.config.publicUrl) === false) throw new GateError('CROSS_SITE');
  if (session === undefined) return said(context, 'here', undefined);
  const { state, parts, cookies } = context;
  // Our session ends first: whatever the provider does, here it is over.
  await parts.sessions.end(session.id);
  parts.streams.end(session.id);
  const { provider, subject } = session.identity;
  parts.metrics.signOuts.inc({ how: 'person' });
  parts.log.audit('signed-out', { provider, subject });
  cookies.push(writeCookie(state.cookies.session, '', { isHttps: state.config.isHttps, maxAge: 0 }));
  return atProvider(context, session);
}

async function atProvider(context: Context, session: Session): Promise<Answer> {
  const { parts, state, peer } = context;
  const door = state.doors.get(session.identity.provider);
  if (door === undefined) return said(context, 'here', undefined);
  try {
    if (door instanceof OidcDoor)
      await door
        .revoke(session.record)
        .catch(error => parts.log.warn('tokens were not revoked', { provider: door.id, ...errorFields(error) }));
    const started = await door.startSignOut(session.record);
    if (started === undefined) return said(context, 'here', door.name);
    await parts.pending.keep(started.handle, browserSecret(context), sourceOf(peer.client), {
      kind: 'sign-out',
      provider: door.id,
      pending: started.pending,
    });
    return sendOn(context, started.send, {
      title: 'You are signed out here',
      text: `Going on to ${door.name}, to sign out there as well.`,
      label: `Sign out at ${door.name}`,
    });
  } catch (error) {
    parts.log.audit('sign-out-unconfirmed', { provider: door.id, ...errorFields(error) });
    return said(context, 'half-done', door.name);
  }
}

/** Back from the provider. Whatever comes here, the session is over already and nobody is sent elsewhere. */
export async function signedOut(context: Context): Promise<Answer> {
  const { query, state, parts } = context;
  const thing = await parts.pending.take('sign-out', query.get('state') ?? undefined, browserSecrets(context));
  if (thing !== undefined) {
    const door = state.doors.get(thing.provider ?? '');
    const isMatched = door instanceof OidcDoor && (await door.readSignOutReturn(context.request.url ?? '/', thing.pending));
    return said(context, isMatched ? 'complete' : 'half-done', door?.name);
  }
  const outcome = query.get('outcome');
  const name = state.doors.get(query.get('provider') ?? '')?.name;
  return said(context, name !== undefined && (outcome === 'complete' || outcome === 'half-done') ? outcome : 'here', name);
}

function confirmation(context: Context, session: Session | undefined): Answer {
  const { identity } = session ?? {};
  const who = identity && (identity.email?.address ?? identity.name ?? identity.subject);
  const provider = identity && context.state.doors.get(identity.provider)?.name;
  return pageWithForm(200, renderSignOut({ site: siteName(context.state), who, provider }));
}

function said(context: Context, outcome: 'here' | 'complete' | 'half-done', provider: string | undefined): Answer {
  return page(200, renderSignedOut({ site: siteName(context.state), outcome, provider }));
}
