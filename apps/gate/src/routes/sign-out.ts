import { noNotices } from '../bridge/sign-out-notices.ts';
import { GateError } from '../errors.ts';
import { type Answer, forgettingPages, page, pageWithForm, redirect } from '../http/answer.ts';
import { readCookies, writeCookie } from '../http/cookies.ts';
import { isSameOrigin } from '../http/navigation.ts';
import { sourceOf } from '../http/peer.ts';
import { parameterOf, readForm } from '../http/read-form.ts';
import { limits } from '../limits.ts';
import { errorFields } from '../operate/log.ts';
import type { Session } from '../sessions/sessions.ts';
import type { Send } from '../sign-in/door.ts';
import { OidcDoor } from '../sign-in/oidc.ts';
import { renderSignedOut, renderSignOut } from '../views/message.tsx';
import {
  type Afterwards,
  framesPage,
  type Outcome,
  openAfterwards,
  openResult,
  resultUrl,
  sealAfterwards,
} from './afterwards.ts';
import { browserSecret, browserSecrets, type Context, findSession, findSessionToEnd, siteName } from './context.ts';
import { forgetLeaving, sendOn } from './sign-in.ts';

/** Asks first on GET, because any page can make a browser GET; signs out on POST from our own page. */
export async function signOut(context: Context): Promise<Answer> {
  const session = await findSessionToEnd(context);
  const { request, state } = context;
  if (request.method !== 'POST') {
    getReady(context, session);
    return confirmation(context, session, undefined);
  }
  if (isSameOrigin(request.headers, state.config.publicUrl) === false) throw new GateError('CROSS_SITE');
  const form = await readForm(context, limits.maxFormBytes);
  const after = openAfterwards(context, parameterOf(form, 'after'));
  if (session === undefined) return signedOutPage(context, 'here', undefined, after);
  return signOutSession(context, session, after);
}

/** While the person reads the question, we learn where the provider signs people out: the sign-out itself waits hardly at all for that. */
function getReady({ state }: Context, session: Session | undefined): void {
  const door = session && state.doors.get(session.identity.provider);
  if (door instanceof OidcDoor) door.metadata().catch(() => {});
}

/** Ends the session here first, then tells the applications behind the bridge, then goes on to the provider. */
export async function signOutSession(context: Context, session: Session, after: Afterwards): Promise<Answer> {
  const { state, parts, cookies } = context;
  // The session as the store had it at the end: the provider may have given new tokens since the session was read.
  const ended = (await parts.sessions.end(session.id)) ?? session;
  parts.streams.end(({ id }) => id === session.id);
  const { provider, subject } = session.identity;
  parts.metrics.signOuts.inc({ how: 'person' });
  parts.log.audit('signed-out', { provider, subject });
  cookies.push(writeCookie(state.cookies.session, '', { isHttps: state.config.isHttps, maxAge: 0 }));
  // Whatever the provider does about it, the person is signed out here and goes on.
  await parts.revocations.revokeLater([ended], state);
  const notices = (await parts.bridge?.signOut([session.key])) ?? noNotices;
  const next = await atProvider(context, ended, { ...after, silent: [...after.silent, ...notices.silent] });
  return forgettingPages(notices.frames.length === 0 ? next.answer : framesPage(context, notices.frames, next.send()));
}

interface Next {
  readonly answer: Answer;
  /** Where the browser goes next when a page comes in between. */
  send(): Send;
}

async function atProvider(context: Context, session: Session, after: Afterwards): Promise<Next> {
  const { parts, state, peer, cookies } = context;
  const door = state.doors.get(session.identity.provider);
  const here = (outcome: Outcome): Next => {
    const result = { outcome, ...(door === undefined ? {} : { provider: door.id }) };
    const url = () => resultUrl(context, result, sealAfterwards(context, after));
    return { answer: signedOutPage(context, outcome, door?.name, after), send: () => ({ kind: 'redirect', url: url() }) };
  };
  if (door === undefined) return here('here');
  try {
    const started = await soon(door.startSignOut(session.record));
    if (started === undefined) return here('here');
    await parts.pending.keep(started.handle, browserSecret(context), sourceOf(peer.client), {
      kind: 'sign-out',
      provider: door.id,
      pending: started.pending,
      afterwards: sealAfterwards(context, after),
    });
    cookies.push(writeCookie(state.cookies.leaving, door.id, { isHttps: state.config.isHttps, maxAge: limits.pendingSeconds }));
    const words = {
      title: 'You are signed out here',
      text: `Taking you to ${door.name} to sign out there as well.`,
      label: `Sign out at ${door.name}`,
    };
    return { answer: sendOn(context, started.send, words), send: () => started.send };
  } catch (error) {
    parts.log.audit('sign-out-unconfirmed', { provider: door.id, ...errorFields(error) });
    return here('not-asked');
  }
}

/** @throws when it takes longer than a person who has left should wait; the work goes on, and the next sign-out finds its result */
async function soon<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const ms = limits.askWhereToSignOutMs;
  const timer = setTimeout(() => reject(new Error(`the provider did not say within ${ms} ms where to sign out`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Handles the return from the provider. Whatever comes here, the session is already over, and nobody is sent where they did not
 * ask to go.
 */
export async function signedOut(context: Context): Promise<Answer> {
  const { query, state, parts } = context;
  const record = await parts.pending.take('sign-out', query.get('state') ?? undefined, browserSecrets(context));
  if (record !== undefined) {
    forgetLeavingTo(context, record.provider);
    const door = state.doors.get(record.provider ?? '');
    const isMatched = door instanceof OidcDoor && (await door.readSignOutReturn(context.request.url ?? '/', record.pending));
    return signedOutPage(context, isMatched ? 'complete' : 'half-done', door?.name, openAfterwards(context, record.afterwards));
  }
  const { outcome, provider, isReturn = false, isStray = false } = openResult(context, query.get('result') ?? undefined);
  // A repeated message of a provider, or an address that was kept, does not say that nobody is signed in now.
  const session = isStray ? await findSession(context) : undefined;
  if (session !== undefined) return confirmation(context, session, undefined);
  if (isReturn) forgetLeavingTo(context, provider);
  const name = state.doors.get(provider ?? '')?.name;
  return signedOutPage(
    context,
    name === undefined ? 'here' : outcome,
    name,
    openAfterwards(context, query.get('after') ?? undefined),
  );
}

/** A return from one provider says nothing about a sign-out at another one. */
function forgetLeavingTo({ state, request, cookies }: Context, provider: string | undefined): void {
  const [leaving] = readCookies(request.headers.cookie, state.cookies.leaving);
  if (leaving !== undefined && leaving === provider) cookies.push(forgetLeaving(state));
}

/** Asks whether to sign out; `after` says where an application wants the person to return to. */
export function confirmation(context: Context, session: Session | undefined, after: Afterwards | undefined): Answer {
  const { identity } = session ?? {};
  const who = identity && (identity.email?.address ?? identity.name ?? identity.subject);
  const provider = identity && context.state.doors.get(identity.provider)?.name;
  const sealed = after === undefined ? undefined : sealAfterwards(context, after);
  return pageWithForm(
    200,
    renderSignOut({ site: siteName(context.state), who, provider, application: after?.application, after: sealed }),
  );
}

/** A complete sign-out leads back to the application that asked for it; an incomplete one is reported first. */
export function signedOutPage(context: Context, outcome: Outcome, provider: string | undefined, after: Afterwards): Answer {
  const { url, application, silent } = after;
  if (url !== undefined && silent.length === 0 && outcome !== 'half-done' && outcome !== 'not-asked') return redirect(url);
  const back = url === undefined ? undefined : { url, name: application ?? new URL(url).host };
  return page(200, renderSignedOut({ site: siteName(context.state), outcome, provider, silent, back }));
}
