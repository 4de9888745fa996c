import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignInStore } from '@octavo/sign-in-store';
import type { Bridge } from '../bridge/bridge.ts';
import type { BodiesInFlight } from '../http/bodies-in-flight.ts';
import { readCookies, writeCookie } from '../http/cookies.ts';
import type { Peer } from '../http/peer.ts';
import { limits } from '../limits.ts';
import type { IdentityTokens } from '../operate/identity-token.ts';
import type { Log } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { OpenStreams, Vouched } from '../proxy/open-streams.ts';
import type { Places } from '../proxy/places.ts';
import type { UpstreamProxy } from '../proxy/proxy.ts';
import { isSecret, newSecret, type PendingRecords } from '../sessions/pending.ts';
import type { Renewals } from '../sessions/renew.ts';
import type { Revocations } from '../sessions/revocations.ts';
import type { Session, Sessions } from '../sessions/sessions.ts';
import type { State } from '../state.ts';

/** The parts that the whole process shares. */
export interface Parts {
  readonly store: SignInStore;
  readonly sessions: Sessions;
  readonly pending: PendingRecords;
  readonly renewals: Renewals;
  readonly revocations: Revocations;
  readonly proxy: UpstreamProxy;
  readonly places: Places;
  readonly streams: OpenStreams;
  readonly bodies: BodiesInFlight;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly now: () => Date;
  readonly identityToken: IdentityTokens | undefined;
  readonly bridge: Bridge | undefined;
}

/** One request and everything that belongs to it. */
export interface Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly peer: Peer;
  /** As configured when the request came, or since `catchUp`. */
  readonly state: State;
  readonly parts: Parts;
  /** The path of the request line, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Cookies for the answer. */
  readonly cookies: string[];
  /** Goes on with the configuration in effect. @returns whether a new one came meanwhile */
  catchUp(): boolean;
  /** Where a sign-in under way can begin again, should the store fail: a callback works only once. */
  startOver?: string;
}

/** Possible session cookies: a browser may send several, and only one of ours unseals. */
export function sessionCookies({ request, state }: Context): string[] {
  return readCookies(request.headers.cookie, state.cookies.session);
}

/** The live session of the request, renewed when due; undefined when there is none. */
export function findSession(context: Context): Promise<Session | undefined> {
  const { parts, state } = context;
  return readSession(context, session => parts.renewals.renewIfDue(session, state));
}

/** The same for a session that is about to end: new tokens would only be revoked, and a provider that hangs must not hold up a sign-out. */
export function findSessionToEnd(context: Context): Promise<Session | undefined> {
  return readSession(context, async session => session);
}

async function readSession(
  context: Context,
  renew: (session: Session) => Promise<Session | undefined>,
): Promise<Session | undefined> {
  const { state, parts, cookies } = context;
  const values = sessionCookies(context);
  if (values.length === 0) return undefined;
  const read = parts.sessions.readCookie(values);
  const found = read && (await parts.sessions.find(read.id));
  const session = found && speaksFor(state, found) ? await renew(found) : undefined;
  const { isHttps } = state.config;
  if (read === undefined || session === undefined) {
    // A dead cookie is deleted, so that it cannot come back as an id that an attacker chose (session fixation).
    cookies.push(writeCookie(state.cookies.session, '', { isHttps, maxAge: 0 }));
    return undefined;
  }
  const resealed = parts.sessions.resealed(read.cookie, session.id);
  if (resealed !== undefined) cookies.push(writeCookie(state.cookies.session, resealed, { isHttps }));
  return session;
}

/**
 * The live session of the request when no wait, renewal or cookie is needed: true of most requests by a signed-in person.
 * Undefined says nothing either way: then ask `findSession`.
 */
export function recallSession({ state, parts }: Context, values: readonly string[]): Session | undefined {
  if (values.length !== 1) return undefined;
  const read = parts.sessions.readCookie(values);
  if (read === undefined || !parts.sessions.isCurrent(read.cookie)) return undefined;
  const session = parts.sessions.recall(read.id);
  return session !== undefined && speaksFor(state, session) && !parts.renewals.isDue(session, state) ? session : undefined;
}

/** A provider that was removed, switched off or given another issuer no longer vouches for anybody. */
export function speaksFor(state: State, { identity }: Vouched): boolean {
  return state.doors.get(identity.provider)?.vouchesFor(identity.issuer) === true;
}

/**
 * The secret that ties sign-ins and sign-outs under way to this browser; created when it has none. Tabs that start at the same
 * moment each get one, and the browser keeps the last. So a new secret is also kept under a name of its own, for what is under
 * way by this handle.
 */
export function browserSecret(context: Context, handle?: string): string {
  const { request, state, cookies } = context;
  const known = readCookies(request.headers.cookie, state.cookies.browser).find(isSecret);
  if (known !== undefined) return known;
  const secret = newSecret();
  const options = { isHttps: state.config.isHttps, crossSite: true };
  cookies.push(writeCookie(state.cookies.browser, secret, options));
  if (handle !== undefined)
    cookies.push(writeCookie(ownName(state, handle), secret, { ...options, maxAge: limits.pendingSeconds }));
  return secret;
}

export function browserSecrets({ request, state }: Context, handle?: string): string[] {
  const names = [...(handle === undefined ? [] : [ownName(state, handle)]), state.cookies.browser];
  return names.flatMap(name => readCookies(request.headers.cookie, name)).filter(isSecret);
}

function ownName({ cookies }: State, handle: string): string {
  return `${cookies.browser}-${createHash('sha256').update(handle).digest('hex').slice(0, 12)}`;
}

export function siteName(state: State): string {
  return new URL(state.config.publicUrl).host;
}
