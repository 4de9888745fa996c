import { type Answer, redirect } from '../http/answer.ts';
import { readCookies, writeCookie } from '../http/cookies.ts';
import { sourceOf } from '../http/peer.ts';
import { limits } from '../limits.ts';
import { errorFields } from '../operate/log.ts';
import { newSecret, type PendingRecord } from '../sessions/pending.ts';
import { isTooLarge, type Session } from '../sessions/sessions.ts';
import type { Door, SignedIn } from '../sign-in/door.ts';
import { completeUrl, signInUrl } from '../urls.ts';
import { browserSecret, type Context, findSession, sessionCookies } from './context.ts';
import { refuse } from './refuse.ts';

/** Gives a person whose sign-in was accepted a session, ends those that it replaces, and leads on. */
export async function completeSignIn(
  context: Context,
  door: Door,
  signedIn: SignedIn,
  { kind, returnTo, sessionId }: PendingRecord,
): Promise<Answer> {
  const { parts, cookies, peer } = context;
  const former = await formerSessions(context, sessionId);
  if (signedIn.endsAt !== undefined && signedIn.endsAt <= parts.now()) {
    await revokeUnused(context, signedIn, former);
    return sessionOver(context, door, signedIn, returnTo);
  }
  cookies.length = 0;
  let created: Created | undefined;
  try {
    created = await parts.sessions.create(signedIn, former[0]?.id);
  } catch (error) {
    await revokeUnused(context, signedIn, former);
    if (isTooLarge(error)) return sessionTooLarge(context, door, signedIn, { error, returnTo });
    throw error;
  }
  const { issuer, subject } = signedIn.identity;
  if (created === undefined) {
    await parts.revocations.revokeLater([signedIn], context.state);
    parts.metrics.signIns.inc({ provider: door.id, outcome: 'overtaken' });
    parts.log.audit('sign-in-failed', {
      provider: door.id,
      subject,
      reason: 'a logout arrived before the sign-in was complete',
    });
    // The store has ended the first of them nevertheless. The page says that the person is signed out, so no other stays either.
    for (const before of former) await endFormer(context, before, undefined);
    return signedOutMeanwhile(context, returnTo);
  }
  await parts.revocations.spare(signedIn);
  parts.metrics.signIns.inc({ provider: door.id, outcome: 'signed-in' });
  parts.log.audit('signed-in', {
    provider: door.id,
    issuer,
    subject,
    client: peer.client,
    ...(kind === 'ecp' ? { how: 'ecp' } : {}),
  });
  for (const before of former) await endFormer(context, before, created.id);
  if (kind === 'sign-in' && mayLackSession(context)) return keepCreated(context, door.id, created, returnTo);
  return enter(context, created, returnTo);
}

type Created = NonNullable<PendingRecord['created']>;

/**
 * A form that a page of another site sent brings no SameSite=Lax cookie, which on https the session's is and the browser's secret is not.
 * So a browser that got a session since this sign-in began may have one that we cannot see.
 */
function mayLackSession(context: Context): boolean {
  const { request, state } = context;
  if (request.method !== 'POST' || !state.expectsForms || sessionCookies(context).length > 0) return false;
  return readCookies(request.headers.cookie, state.cookies.entered).length > 0;
}

/**
 * Sends the browser to an address that hands out the new session, to which it brings the cookie of the one that it has. The name in the
 * address opens nothing without the secret of this browser, and works once.
 */
async function keepCreated(context: Context, provider: string, created: Created, returnTo: string | undefined): Promise<Answer> {
  const { parts, peer } = context;
  const handle = newSecret();
  await parts.pending.keep(handle, browserSecret(context, handle), sourceOf(peer.client), {
    kind: 'created',
    provider,
    created,
    ...(returnTo === undefined ? {} : { returnTo }),
    until: parts.now().getTime() + limits.createdSeconds * 1000,
  });
  return redirect(completeUrl(provider, handle));
}

/** Hands out a session that was kept, and ends the one that the browser has. It was another tab's, and nobody else may go on with it. */
export async function handOut(context: Context, created: Created, returnTo: string | undefined): Promise<Answer> {
  const { parts, cookies } = context;
  const now = await findSession(context);
  cookies.length = 0;
  const isLive = (await parts.sessions.find(created.id)) !== undefined;
  if (now !== undefined && now.id !== created.id) await endFormer(context, now, isLive ? created.id : undefined);
  return isLive ? enter(context, created, returnTo) : signedOutMeanwhile(context, returnTo);
}

function enter({ state, cookies }: Context, { cookie }: Created, returnTo: string | undefined): Answer {
  const { isHttps } = state.config;
  cookies.push(writeCookie(state.cookies.session, cookie, { isHttps }));
  // As long as a sign-in that began before this one ended may take.
  if (state.expectsForms)
    cookies.push(writeCookie(state.cookies.entered, '1', { isHttps, crossSite: true, maxAge: limits.pendingSeconds }));
  return redirect(returnTo ?? '/');
}

function signedOutMeanwhile(context: Context, returnTo: string | undefined): Answer {
  return refuse(context, 'SIGNED_OUT_MEANWHILE', { actions: [{ href: signInUrl(returnTo), label: 'Sign in again' }] });
}

/**
 * The tolerance for clocks lets a session pass that is over by ours. It would last for no request, and the browser would go to and fro
 * between us and the provider, which still knows the person and would not ask.
 */
function sessionOver(context: Context, door: Door, { identity }: SignedIn, returnTo: string | undefined): Answer {
  const why = 'the session at the provider is already over by the clock here';
  noteNotAccepted(context, door, identity, { reason: 'SIGN_IN_FAILED', why });
  return refuse(context, 'SIGN_IN_FAILED', {
    detail:
      'By this site’s clock, your session at the provider is already over. If it does not help to sign in again, the clocks may be too far apart: contact the site’s administrator.',
    actions: [{ href: signInUrl(returnTo, door.id, { fresh: true }), label: 'Sign in again' }],
  });
}

/** Hundreds of long groups, or claims that the configuration does not even use. The person can do nothing, so the log has the numbers. */
function sessionTooLarge(
  context: Context,
  door: Door,
  { identity }: SignedIn,
  { error, returnTo }: { error: unknown; returnTo: string | undefined },
): Answer {
  noteNotAccepted(context, door, identity, { reason: 'SESSION_TOO_LARGE', ...errorFields(error) });
  return refuse(context, 'SESSION_TOO_LARGE', {
    actions: [{ href: signInUrl(returnTo, door.id, { another: true }), label: 'Sign in with another account' }],
  });
}

/** The provider signed the person in, and we did not. */
function noteNotAccepted(
  { parts, peer }: Context,
  door: Door,
  { subject }: SignedIn['identity'],
  reason: { reason: string; why?: string },
): void {
  parts.metrics.signIns.inc({ provider: door.id, outcome: 'not-accepted' });
  parts.log.audit('sign-in-failed', { provider: door.id, subject, client: peer.client, ...reason });
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

/** A sign-in that came to nothing: what it brought is revoked. */
export async function dropSignIn(context: Context, signedIn: SignedIn, begun: string | undefined): Promise<void> {
  await revokeUnused(context, signedIn, await formerSessions(context, begun));
}

/** Not if the browser goes on with a session of the same person: its refresh token could end with this one (see `endFormer`). */
async function revokeUnused({ parts, state }: Context, signedIn: SignedIn, former: readonly Session[]): Promise<void> {
  if (!former.some(one => isSamePerson(one, signedIn))) await parts.revocations.revokeLater([signedIn], state);
}

type Person = Pick<SignedIn, 'subjectKey' | 'identity'>;

function isSamePerson(one: Person, other: Person): boolean {
  return one.subjectKey === other.subjectKey && one.identity.issuer === other.identity.issuer;
}

/**
 * What applications behind the bridge got for the former session stays with the same person, and goes to nobody else. So does the refresh
 * token: some providers take the end of one for the end of all that they gave this person, and the new session would end with it.
 * @param id of the new session, if there is one
 */
async function endFormer({ parts, state }: Context, before: Session, id: string | undefined): Promise<void> {
  const last = (await parts.sessions.end(before.id)) ?? before;
  const after = id === undefined ? undefined : await parts.sessions.find(id);
  const isSame = after !== undefined && isSamePerson(after, before);
  if (!isSame) await parts.revocations.revokeLater([last], state);
  if (parts.bridge === undefined) return;
  if (isSame) await parts.bridge.moveSession(before.key, after.key);
  else parts.bridge.signOutLater([before.key]);
}
