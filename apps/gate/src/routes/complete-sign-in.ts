import { type Answer, redirect } from '../http/answer.ts';
import { writeCookie } from '../http/cookies.ts';
import type { PendingThing } from '../sessions/pending.ts';
import type { Session } from '../sessions/sessions.ts';
import type { Door, SignedIn } from '../sign-in/door.ts';
import { signInUrl } from '../urls.ts';
import { type Context, findSession } from './context.ts';
import { refuse } from './refuse.ts';

/** Gives a person whose sign-in was accepted a session, ends those that it replaces, and leads on. */
export async function completeSignIn(
  context: Context,
  door: Door,
  signedIn: SignedIn,
  { kind, returnTo, sessionId }: PendingThing,
): Promise<Answer> {
  const { state, parts, cookies, peer } = context;
  if (signedIn.endsAt !== undefined && signedIn.endsAt <= parts.now()) return sessionOver(context, door, signedIn, returnTo);
  const former = await formerSessions(context, sessionId);
  cookies.length = 0;
  const created = await parts.sessions.create(signedIn, former[0]?.id);
  const { issuer, subject } = signedIn.identity;
  if (created === undefined) {
    parts.metrics.signIns.inc({ provider: door.id, outcome: 'overtaken' });
    parts.log.audit('sign-in-failed', {
      provider: door.id,
      subject,
      reason: 'a logout arrived before the sign-in was complete',
    });
    // The store has ended the first of them nevertheless. The page says that the person is signed out, so no other stays either.
    for (const before of former) await endFormer(context, before, undefined);
    return refuse(context, 'SIGNED_OUT_MEANWHILE', { actions: [{ href: signInUrl(returnTo), label: 'Sign in again' }] });
  }
  parts.metrics.signIns.inc({ provider: door.id, outcome: 'signed-in' });
  parts.log.audit('signed-in', {
    provider: door.id,
    issuer,
    subject,
    client: peer.client,
    ...(kind === 'ecp' ? { how: 'ecp' } : {}),
  });
  for (const before of former) await endFormer(context, before, created.id);
  cookies.push(writeCookie(state.cookies.session, created.cookie, { isHttps: state.config.isHttps }));
  return redirect(returnTo ?? '/');
}

/**
 * The tolerance for clocks lets a session pass that is over by ours. It would last for no request, and the browser would go to and fro
 * between us and the provider, which still knows the person and would not ask.
 */
function sessionOver(context: Context, door: Door, { identity }: SignedIn, returnTo: string | undefined): Answer {
  const { metrics, log } = context.parts;
  metrics.signIns.inc({ provider: door.id, outcome: 'not-accepted' });
  log.audit('sign-in-failed', {
    provider: door.id,
    subject: identity.subject,
    reason: 'SIGN_IN_FAILED',
    why: 'the session at the provider is already over by the clock here',
    client: context.peer.client,
  });
  return refuse(context, 'SIGN_IN_FAILED', {
    detail:
      'By this site’s clock, your session at the provider is already over. If it does not help to sign in again, the clocks may be too far apart: contact the site’s administrator.',
    actions: [{ href: signInUrl(returnTo, door.id, { fresh: true }), label: 'Sign in again' }],
  });
}

/**
 * The sessions that the new one replaces; anyone else who has their cookies is a thief. They are the one in which the sign-in began, because a
 * provider's form may come without its cookie, and the one that the browser has now, if another tab was faster.
 */
async function formerSessions(context: Context, begun: string | undefined): Promise<Session[]> {
  const then = begun === undefined ? undefined : await context.parts.sessions.find(begun);
  const now = await findSession(context);
  return [then, now?.id === then?.id ? undefined : now].filter(session => session !== undefined);
}

/**
 * What applications behind the bridge got for the former session stays with the same person, and goes to nobody else.
 * @param id of the new session, if there is one
 */
async function endFormer({ parts }: Context, before: Session, id: string | undefined): Promise<void> {
  await parts.sessions.end(before.id);
  if (parts.bridge === undefined) return;
  const after = id === undefined ? undefined : await parts.sessions.find(id);
  const isSame = after?.subjectKey === before.subjectKey && after.identity.issuer === before.identity.issuer;
  if (isSame) await parts.bridge.moveSession(before.key, after.key);
  else parts.bridge.signOutLater([before.key]);
}
