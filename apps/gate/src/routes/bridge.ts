import type { Asked, Bridge } from '../bridge/bridge.ts';

type BridgeClientConfig = Asked['client'];

import { GateError, requireMethod } from '../errors.ts';
import { type Answer, redirect } from '../http/answer.ts';
import { parameterOf, type ReceivedForm, readForm } from '../http/read-form.ts';
import { limits } from '../limits.ts';
import type { Session } from '../sessions/sessions.ts';
import { signInUrl, urls } from '../urls.ts';
import { type Afterwards, nothingAfterwards } from './afterwards.ts';
import { newReference } from './authorize.ts';
import { type Context, findSession, findSessionToEnd } from './context.ts';
import { refuse } from './refuse.ts';
import { confirmation, signedOutPage, signOutSession } from './sign-out.ts';

/** Everything under /gate/oidc: the gate as OpenID provider. @returns undefined when it has already been answered */
export async function answerBridge(context: Context): Promise<Answer | undefined> {
  const { parts, path, request, response, cookies } = context;
  const { bridge } = parts;
  if (bridge === undefined) throw new GateError('NOT_FOUND');
  const uid = /^\/gate\/oidc\/interaction\/([\w-]{21,64})$/.exec(path)?.[1];
  if (uid !== undefined) return interaction(context, bridge, uid);
  if (path === urls.bridgeEndSession) return endSession(context, bridge);
  if (path === urls.bridgeAuthorization && request.method === 'POST') return byGet(context);
  // Only for requests that a browser makes with its session; programs authenticate with what they send.
  const session = path.startsWith(`${urls.bridge}/auth`) ? await findSession(context) : undefined;
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  if (cookies.length > 0) response.setHeader('Set-Cookie', [...cookies]);
  await bridge.handle(request, response, session);
  return undefined;
}

/**
 * OpenID Connect Core 3.1.2.1 requires the request to work by POST too. When another site posts, none of our cookies are sent;
 * with the GET that follows they are.
 */
async function byGet(context: Context): Promise<Answer> {
  const form = await readForm(context, limits.maxAuthorizationFormBytes);
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(form.contentType ?? ''))
    throw new GateError('BAD_REQUEST', 'an authorization request by POST must be a form');
  // Serialized again, so that only parameters get into the address. A duplicate stays one, and is refused.
  return redirect(`${urls.bridgeAuthorization}?${new URLSearchParams(form.body)}`);
}

/** An application asks who is signed in: a person who is, and who may use it, goes on at once. */
async function interaction(context: Context, bridge: Bridge, uid: string): Promise<Answer> {
  const { request, response, query } = context;
  requireMethod(request.method, ['GET']);
  const asked = await bridge.readInteraction(request, response);
  if (asked === undefined)
    return refuse(context, 'SIGN_IN_EXPIRED', { detail: 'Go back to the application and start again there.' });
  const session = await findSession(context);
  if (session === undefined || (asked.mustBeFresh && !isFresh(context, session, asked))) {
    const known = context.state.doors.has(asked.provider ?? '') ? asked.provider : undefined;
    return redirect(signInUrl(urls.bridgeInteraction(uid), known, { fresh: asked.mustBeFresh }));
  }
  const isRefused = query.get('answer') === 'no';
  if (!isRefused && !bridge.mayUse(asked.client, session)) return mayNot(context, session, asked.client, uid);
  return redirect(await bridge.finishInteraction(request, response, isRefused ? undefined : session));
}

const toleranceSeconds = 30;

/** A new session alone proves nothing: a provider may let a person who is signed in there through without asking. */
function isFresh({ state, parts }: Context, session: Session, { sessionThen, notBefore = 0, maxAgeSeconds }: Asked): boolean {
  const authenticatedAt = session.authenticatedAt.getTime();
  // `authenticatedAt` is by the provider's clock, and sign-ins are checked with the tolerance configured for it.
  const tolerance = Math.max(toleranceSeconds, state.doors.get(session.identity.provider)?.config.clockToleranceSeconds ?? 0);
  const age = (parts.now().getTime() - authenticatedAt) / 1000;
  return (
    session.key !== sessionThen &&
    authenticatedAt >= notBefore - tolerance * 1000 &&
    (maxAgeSeconds === undefined || age <= maxAgeSeconds + tolerance)
  );
}

function mayNot(context: Context, { identity }: Session, client: BridgeClientConfig, uid: string): Answer {
  const { log, metrics } = context.parts;
  const application = client.name;
  metrics.applicationSignIns.inc({ application: client.id, outcome: 'refused' });
  const reference = newReference();
  log.audit('refused', {
    reference,
    why: 'application',
    application: client.id,
    provider: identity.provider,
    subject: identity.subject,
  });
  const who = identity.email?.address ?? identity.name;
  return refuse(context, 'FORBIDDEN', {
    reference,
    text: `Your account doesn’t have access to ${application}.`,
    detail: who === undefined ? undefined : `You are signed in as ${who}.`,
    actions: [
      { href: `${urls.bridgeInteraction(uid)}?answer=no`, label: `Go back to ${application}` },
      { href: signInUrl(urls.bridgeInteraction(uid), undefined, { another: true }), label: 'Sign in with another account' },
    ],
  });
}

/**
 * OpenID Connect RP-Initiated Logout 1.0. An application that presents an ID Token of the signed-in person is trusted; otherwise
 * the person is asked, because any page can send a browser here.
 */
async function endSession(context: Context, bridge: Bridge): Promise<Answer> {
  const { request, parts, query } = context;
  requireMethod(request.method, ['GET', 'POST']);
  const sealed = query.get('request');
  const wish = sealed === null ? await readWish(context, bridge) : openWish(context, sealed);
  if (request.method === 'POST') {
    // The session cookie is not sent when another site posts, but it is with the GET that follows.
    const text = parts.pending.sealer.seal(JSON.stringify(wish), wishPurpose);
    return redirect(`${urls.bridgeEndSession}?request=${text}`);
  }
  const session = await findSessionToEnd(context);
  if (session === undefined) return signedOutPage(context, 'here', undefined, wish.after);
  const isMeant = wish.account !== undefined && bridge.isAccountOf(wish.account, session);
  return isMeant ? signOutSession(context, session, wish.after) : confirmation(context, session, wish.after);
}

/** A request of an application: whom to sign out, and what follows. */
interface Wish {
  readonly account?: string;
  readonly after: Afterwards;
}

const wishPurpose = 'end session';

async function readWish(context: Context, bridge: Bridge): Promise<Wish> {
  const form = await readForm(context, limits.maxFormBytes);
  const hint = await readHint(bridge, parameterOf(form, 'id_token_hint'));
  const after = readAfter(bridge, form, hint?.clientId);
  return hint === undefined ? { after } : { account: hint.account, after };
}

function openWish({ parts }: Context, sealed: string): Wish {
  const text = parts.pending.sealer.open(sealed, wishPurpose);
  if (text === undefined) throw new GateError('BAD_REQUEST', 'this sign-out request is unknown or has expired');
  return JSON.parse(text) as Wish;
}

async function readHint(bridge: Bridge, token: string | undefined): Promise<{ clientId: string; account: string } | undefined> {
  if (token === undefined) return undefined;
  try {
    return await bridge.readIdTokenHint(token);
  } catch (error) {
    throw new GateError('BAD_REQUEST', 'id_token_hint is not an ID Token from this provider', { cause: error });
  }
}

/** Accepts only addresses that the application registered: anything else would send people wherever a link says. */
function readAfter(bridge: Bridge, form: ReceivedForm, hinted: string | undefined): Afterwards {
  const named = parameterOf(form, 'client_id');
  if (named !== undefined && hinted !== undefined && named !== hinted)
    throw new GateError('BAD_REQUEST', 'client_id and id_token_hint name different applications');
  const client = bridge.client(named ?? hinted);
  if ((named ?? hinted) !== undefined && client === undefined) throw new GateError('BAD_REQUEST', 'unknown client_id');
  const wanted = parameterOf(form, 'post_logout_redirect_uri');
  if (wanted === undefined) return client === undefined ? nothingAfterwards : { ...nothingAfterwards, application: client.name };
  if (client === undefined) throw new GateError('BAD_REQUEST', 'post_logout_redirect_uri needs client_id or id_token_hint');
  if (!client.postLogoutRedirectUris.includes(wanted))
    throw new GateError('BAD_REQUEST', 'post_logout_redirect_uri is not registered for this application');
  const url = new URL(wanted);
  const state = parameterOf(form, 'state');
  if (state !== undefined) url.searchParams.set('state', state);
  return { ...nothingAfterwards, application: client.name, url: url.href };
}
