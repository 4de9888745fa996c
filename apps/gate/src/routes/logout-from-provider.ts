import { StoreError } from '@octavo/sign-in-store';
import { noNotices } from '../bridge/sign-out-notices.ts';
import { requireMethod } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { forgettingPages, redirect } from '../http/answer.ts';
import { writeCookie } from '../http/cookies.ts';
import { parameterOf, readForm } from '../http/read-form.ts';
import { limits } from '../limits.ts';
import { errorFields } from '../operate/log.ts';
import type { EndedByName } from '../sessions/sessions.ts';
import type { ProviderLogout } from '../sign-in/door.ts';
import { readOidcFailure } from '../sign-in/oidc.ts';
import { readSamlFailure, SamlDoor } from '../sign-in/saml.ts';
import { renderInnerFrames } from '../views/signing-out.tsx';
import { framesPage, originsOf, resultUrl } from './afterwards.ts';
import { requireOidc, requireSaml } from './callback.ts';
import { browserSecrets, type Context, findSessionToEnd, sessionCookies } from './context.ts';
import { refuse } from './refuse.ts';
import { returnFromRemoved } from './removed-provider.ts';
import { sendOn } from './sign-in.ts';
import { isSoap } from './soap-fault.ts';

/** Ends the sessions that a provider's message names: the applications of all of them must be told. */
async function endNamed(context: Context, provider: string, how: string, logout: ProviderLogout): Promise<EndedByName> {
  const { issuer, subjectKey, providerSessions, at, isUnproven = false } = logout;
  const ended = await context.parts.sessions.endNamed({
    issuer,
    at,
    isUnproven,
    ...(subjectKey === undefined ? {} : { subject: subjectKey }),
    ...(providerSessions === undefined ? {} : { providerSessions }),
  });
  noteEnded(context, provider, how, { issuer, sessions: ended.keys.length });
  return ended;
}

function noteEnded({ parts }: Context, provider: string, how: string, fields: { issuer: string; sessions: number }): void {
  parts.metrics.signOuts.inc({ how }, fields.sessions);
  parts.log.audit('signed-out-by-provider', { provider, how, ...fields });
}

/** OpenID Connect Back-Channel Logout: the provider's server asks. Answers 200, 400 or, when the store is down, 503. */
export async function backChannelLogout(context: Context, id: string): Promise<Answer> {
  const door = requireOidc(context, id);
  let outage: unknown;
  const received = await readForm(context, limits.maxFormBytes);
  const response = await door.answerBackChannelLogout(received, async logout => {
    try {
      // Providers wait only a moment for our answer, and it is about this session alone; applications are told in the background.
      const ended = await endNamed(context, id, 'back-channel', logout);
      context.parts.bridge?.signOutLater(ended.keys);
    } catch (error) {
      outage = error;
      throw error;
    }
  });
  if (outage instanceof StoreError) throw outage;
  const body = response.body === null ? undefined : await response.text();
  if (response.status === 400)
    noteRefused(context, id, { code: (JSON.parse(body ?? '{}') as { error_description?: string }).error_description });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    ...(body === undefined ? {} : { body }),
  };
}

/** The provider thinks that it has signed the person out: only the log says why that was not so. */
function noteRefused({ parts }: Context, provider: string, fields: object): void {
  parts.log.warn('a logout message was refused', { provider, ...fields });
}

/**
 * OpenID Connect Front-Channel Logout: a frame on the provider's page asks. Our cookies come along only if the provider is on the same
 * site, so a logout that does not name its session may reach none: it is then answered 400, as one that failed (§2).
 */
export async function frontChannelLogout(context: Context, id: string): Promise<Answer> {
  const door = requireOidc(context, id);
  const received = await readForm(context, limits.maxFormBytes);
  let logout: ProviderLogout | undefined;
  let ended: readonly string[] = [];
  try {
    logout = await door.readFrontChannelLogout(received);
  } catch (error) {
    if (readOidcFailure(error) === undefined) throw error;
    noteRefused(context, id, errorFields(error));
    return badLogout('This is not a logout request, or it does not name the session (iss and sid).');
  }
  if (logout === undefined) {
    if (sessionCookies(context).length === 0) {
      context.parts.log.warn('a front-channel logout named no session and came without a cookie', { provider: id });
      return badLogout('No session ended: the request names none (iss and sid), and there was no session cookie.');
    }
    const session = await findSessionToEnd(context);
    if (
      session !== undefined &&
      session.identity.provider === id &&
      (await context.parts.sessions.end(session.id)) !== undefined
    ) {
      noteEnded(context, id, 'front-channel', { issuer: session.identity.issuer, sessions: 1 });
      ended = [session.key];
    }
  } else ({ keys: ended } = await endNamed(context, id, 'front-channel', logout));
  const frames = (await context.parts.bridge?.signOutInFrame(ended)) ?? [];
  // Only the provider's page may frame this.
  const own = door.frontChannelHeaders;
  const headers = { ...own, 'x-frame-options': undefined, 'content-type': 'text/plain; charset=utf-8' };
  if (frames.length === 0) return { status: 200, headers, body: 'Signed out.\n' };
  const policy = `${own['content-security-policy']}; frame-src ${originsOf(frames)}`;
  return {
    status: 200,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    body: renderInnerFrames(frames),
  };
}

function badLogout(text: string): Answer {
  return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${text}\n` };
}

/** SAML Single Logout, both ways: the IdP asks us, or answers our request. */
export async function singleLogout(context: Context, id: string): Promise<Answer> {
  const door = context.state.doors.get(id);
  if (!(door instanceof SamlDoor)) return returnFromRemoved(context, id, 'slo');
  const received = await readForm(context, limits.maxFormBytes);
  try {
    if (isSoap(received.contentType)) return await soapLogout(context, id, received);
    const record = await context.parts.pending.take('sign-out', parameterOf(received, 'RelayState'), browserSecrets(context));
    const found = await door.receiveLogout(received, record?.provider === id ? record.pending : undefined);
    if (found.kind === 'response') {
      if (found.outcome === 'half-done') context.parts.log.audit('sign-out-unconfirmed', { provider: id });
      const result = { outcome: found.outcome, provider: id, isReturn: record?.provider === id };
      return redirect(resultUrl(context, result, record?.afterwards));
    }
    // Our session ends first, then those of the applications; the answer says whether all of them ended.
    const ended = await endOrGiveBack(context, id, 'slo', found);
    const notices = (await context.parts.bridge?.signOut(ended)) ?? noNotices;
    const hasLeft = await forgetEnded(context);
    const send = found.answer(notices.silent.length === 0 ? 'complete' : 'partial');
    const words = { title: 'You are signed out', text: `Taking you back to ${door.name}.`, label: 'Continue' };
    const answer = notices.frames.length > 0 ? framesPage(context, notices.frames, send) : sendOn(context, send, words);
    return hasLeft ? forgettingPages(answer) : answer;
  } catch (error) {
    const failure = readSamlFailure(error);
    if (failure === undefined) throw error;
    noteRefused(context, id, errorFields(error));
    // The back button, or a reload. The next page sees the cookies that another site's form did not bring.
    if (failure.kind === 'stale' && (received.method === 'GET' || parameterOf(received, 'SAMLResponse') !== undefined))
      return redirect(resultUrl(context, { outcome: 'half-done', provider: id, isStray: true }, undefined));
    return refuse(context, failure.kind === 'outage' ? 'PROVIDER_DOWN' : 'BAD_REQUEST', { code: failure.code });
  }
}

/** A request that failed because of the store must not count as used: otherwise sending it again would end nothing. */
async function endOrGiveBack(
  context: Context,
  id: string,
  how: string,
  { logout, giveBack }: { readonly logout: ProviderLogout; readonly giveBack: () => Promise<void> },
): Promise<readonly string[]> {
  try {
    const { keys, sessions } = await endNamed(context, id, how, logout);
    // An OpenID provider knows what it issued. The server that exchanged the assertion for a token hears nothing of the logout.
    await context.parts.revocations.revokeLater(sessions, context.state);
    return keys;
  } catch (error) {
    await giveBack();
    throw error;
  }
}

/**
 * The cookie is deleted only if its own session ended: anybody can make another person's browser deliver a logout meant for
 * themselves here, which must not sign that person out.
 */
async function forgetEnded(context: Context): Promise<boolean> {
  const { state, parts, cookies } = context;
  const read = parts.sessions.readCookie(sessionCookies(context));
  if (read === undefined || (await parts.sessions.find(read.id)) !== undefined) return false;
  cookies.push(writeCookie(state.cookies.session, '', { isHttps: state.config.isHttps, maxAge: 0 }));
  return true;
}

async function soapLogout(context: Context, id: string, received: Awaited<ReturnType<typeof readForm>>): Promise<Answer> {
  const door = requireSaml(context, id);
  requireMethod(received.method, ['POST']);
  const found = await door.receiveSoapLogout(received);
  const ended = await endOrGiveBack(context, id, 'slo-soap', found);
  context.parts.bridge?.signOutLater(ended);
  return { status: 200, headers: { 'content-type': 'text/xml; charset=utf-8' }, body: found.answer('complete') };
}
