import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, GateError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { isForeignWebSocket, isNavigation, isOtherHost, isSameOrigin } from '../http/navigation.ts';
import { sourceOf } from '../http/peer.ts';
import { readBody } from '../http/read-form.ts';
import { limits } from '../limits.ts';
import { readPathFor } from '../model/file-reading.ts';
import type { RequestPath } from '../model/request-path.ts';
import { readReturnTo } from '../model/return-to.ts';
import type { Rule } from '../model/rule.ts';
import { upstreamHeaders } from '../proxy/headers.ts';
import type { StreamFacts, StreamOwner } from '../proxy/open-streams.ts';
import type { Place } from '../proxy/places.ts';
import { hasNoBody, type Passage } from '../proxy/proxy.ts';
import { resumeUrl } from '../urls.ts';
import { type Authorization, authorize } from './authorize.ts';
import type { Context } from './context.ts';
import { denied } from './denied.ts';
import { answerEcp } from './ecp.ts';
import { formElsewhere, readFormPage } from './kept-form.ts';
import { challengeOf, refuse } from './refuse.ts';
import { keepForm, toSignInPage, toSignInWithoutForm } from './sign-in.ts';

type Passed = Answer | undefined | Promise<Answer | undefined>;

/** A request for the application: authorized, and passed on if allowed. @returns our own answer otherwise */
export function pass(context: Context): Passed {
  const { request } = context;
  const verdict = readPathFor(context.state.config.rules, request.url ?? '');
  if (verdict.kind === 'refused') return refuse(context, 'ADDRESS_REFUSED', { detail: verdict.why });
  const authorized = authorize(context, request.method ?? 'GET', verdict.value, 'proxy');
  if (authorized instanceof Promise) return authorized.then(known => passAuthorized(context, verdict.value, known));
  return passAuthorized(context, verdict.value, authorized);
}

function passAuthorized(context: Context, path: RequestPath, authorization: Authorization): Passed {
  const { request, response, state, parts } = context;
  const { decision, session } = authorization;
  // When the client left while we looked up the session, it gets no answer, and the application does not see the request.
  if (response.destroyed) return undefined;
  if (decision.kind === 'deny') return denied(context, decision, authorization, readReturnTo(path.target));
  if (decision.kind === 'sign-in')
    return answerEcp(context, path.target, decision.providers).then(
      envelope => envelope ?? toSignIn(context, path, decision.rule),
    );
  if (state.config.upstream === undefined) throw new GateError('NOT_FOUND', 'There is no application behind this gate.');
  const passage = passageOf(context, state.config.upstream, path, authorization);
  let end: (error: GateError) => void = () => response.destroy();
  const place = takePlace(context, authorization, () => end(new GateError('APPLICATION_BUSY', whyDisplaced(passage.method))));
  if (place === 'none-left') return refuse(context, 'APPLICATION_BUSY');
  const onFree = place && (() => parts.places.leave(place));
  const onBegun = (its: typeof end) => {
    end = its;
  };
  if (request.headers.expect !== undefined) response.writeContinue();
  const owner = session ?? ownerOf(context, authorization, 'answer');
  if (owner === undefined) return parts.proxy.pass(request, response, passage, { onBegun, onFree });
  const open = parts.streams.add(owner, factsOf(passage, path), { end: why => end(whyCut(why, passage.method)) });
  return parts.proxy.pass(request, response, passage, { onBegun, onFree, onClosed: () => parts.streams.remove(open) });
}

/**
 * WebSocket is the only protocol that a connection may change to. With h2c the two sides would speak HTTP/2 to each other, past
 * every rule and with the client's own identity headers. It must be a GET without a body (RFC 6455 §4.1): one server would read
 * bytes after the head as a body, another one as frames.
 */
export function isWebSocket(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket' && hasNoBody(request);
}

/** Passes a WebSocket on. @returns the refusal to write on the socket instead, if any */
export async function passUpgrade(context: Context, socket: Duplex, head: Buffer): Promise<Answer | undefined> {
  const { request } = context;
  if (!isWebSocket(request))
    return refuse(context, 'BAD_REQUEST', { detail: 'A connection can only be upgraded to a WebSocket.' });
  const verdict = readPathFor(context.state.config.rules, request.url ?? '');
  if (verdict.kind === 'refused') return refuse(context, 'ADDRESS_REFUSED', { detail: verdict.why });
  const authorization = await authorize(context, 'GET', verdict.value, 'upgrade');
  const { decision, session } = authorization;
  const { state, parts } = context;
  // The client left meanwhile, and a socket says so only once.
  if (socket.destroyed) return undefined;
  if (decision.kind === 'deny') return denied(context, decision, authorization, undefined);
  if (decision.kind === 'sign-in') return refuse(context, 'SIGN_IN_REQUIRED', { headers: challengeOf(decision.rule) });
  if (session !== undefined && isForeignWebSocket(request.headers, state.config.publicUrl)) return refuse(context, 'CROSS_SITE');
  if (state.config.upstream === undefined) throw new GateError('NOT_FOUND', 'There is no application behind this gate.');
  const passage = passageOf(context, state.config.upstream, verdict.value, authorization);
  const place = takePlace(context, authorization, () => socket.destroy());
  if (place === 'none-left') return refuse(context, 'APPLICATION_BUSY');
  if (place !== undefined) socket.once('close', () => parts.places.leave(place));
  let end: (error: GateError) => void = () => socket.destroy();
  const owner = session ?? ownerOf(context, authorization, 'socket');
  if (owner !== undefined) {
    // From now on: until the application accepts it, its session may end and the rules may change.
    const open = parts.streams.add(owner, factsOf(passage, verdict.value), { end: why => end(whyCut(why, passage.method)) });
    socket.once('close', () => parts.streams.remove(open));
  }
  await parts.proxy.upgrade(request, socket, head, passage, its => {
    end = its;
  });
  return undefined;
}

function factsOf({ method }: Passage, { path, target }: RequestPath): StreamFacts {
  return { method, path, target };
}

const cuts: Readonly<Partial<Record<ErrorCode, string>>> = {
  FORBIDDEN: 'Your access changed before the application answered.',
  SIGN_IN_REQUIRED: 'You were signed out before the application answered.',
};

/** For a method that changes nothing it does not matter how far the application has come. */
const isSafe = (method: string) => ['GET', 'HEAD', 'OPTIONS'].includes(method);

function whyCut(code: ErrorCode, method: string): GateError {
  const doubt = isSafe(method) ? [] : ['The application may have done what this request asked for.'];
  const words = [cuts[code] ?? [], doubt].flat();
  return new GateError(code, words.length === 0 ? undefined : words.join(' '));
}

function whyDisplaced(method: string): string {
  const why = 'Most of them came from you, and others had fewer, so this one was ended.';
  return isSafe(method) ? why : `${why} The application may have done what this one asked for.`;
}

/** @returns undefined if the configuration sets no limit */
function takePlace(
  { state, parts, peer }: Context,
  { identity }: Authorization,
  end: () => void,
): Place | 'none-left' | undefined {
  const { upstreamRequests: max } = state.config;
  if (max === undefined) return undefined;
  // People of one network are told apart once they have signed in.
  const visitor = identity === undefined ? sourceOf(peer.client) : `${identity.issuer} ${identity.subject}`;
  return parts.places.take(visitor, max, end) ?? 'none-left';
}

/**
 * How long what an access token opened may go on. A WebSocket ends when the token expires. If it was opened after that, within
 * the clock tolerance, it ends when the tolerance does, and so does an answer, which may be to the token's last valid request. A
 * token without an expiry lasts as long as a session would. About an opaque token, its provider is asked again meanwhile.
 */
function ownerOf({ parts, state }: Context, { token }: Authorization, kind: 'socket' | 'answer'): StreamOwner | undefined {
  if (token === undefined) return undefined;
  const { identity, expiresAt, toleranceMs, opaque } = token;
  const now = parts.now().getTime();
  if (expiresAt === undefined) return { identity, opaque, until: now + state.config.session.lifetimeSeconds * 1000 };
  return { identity, opaque, until: kind === 'socket' && expiresAt > now ? expiresAt : expiresAt + toleranceMs };
}

function passageOf(context: Context, upstream: URL, { target }: RequestPath, authorization: Authorization): Passage {
  const { request, state, peer, cookies } = context;
  const { headers, decision, identity } = authorization;
  // A shared cache would give a cookie of ours to everybody: a session to others, or its end.
  const isForAll = decision.rule?.allow.kind === 'anyone' && cookies.length === 0;
  return {
    upstream,
    method: request.method ?? 'GET',
    target,
    headers: upstreamHeaders(request, peer, state, headers),
    timeouts: state.config.timeouts,
    cookies,
    caching: !isForAll ? 'private' : identity === undefined ? 'as-said' : 'if-public',
    isReserved: state.isReserved,
    isOurCookie: state.isOurCookie,
  };
}

/** Page loads go to the sign-in page and come back; programs get a 401. */
async function toSignIn(context: Context, { target }: RequestPath, rule: Rule): Promise<Answer> {
  const { request, state } = context;
  const method = request.method ?? 'GET';
  if (!isNavigation(method, request.headers)) return refuse(context, 'SIGN_IN_REQUIRED', { headers: challengeOf(rule) });
  if (method !== 'POST') return toSignInPage(context, target);
  const type = request.headers['content-type'] ?? '';
  const isForm = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:;|$)/i.test(type);
  // A form that another site made a browser send must not be sent again in the name of the person who signs in (CSRF).
  if (isSameOrigin(request.headers, state.config.publicUrl) !== true) return toSignInWithoutForm(context, undefined);
  const from = readFormPage(request.headers);
  if (!isForm) return toSignInWithoutForm(context, from);
  if (isOtherHost(request.headers, state.config.publicUrl)) return formElsewhere(context, from);
  const body = await readBody(context, limits.maxKeptBodyBytes).catch(error => {
    // The person has not lost the form yet, and must not go to the sign-in page in its place.
    throw error instanceof GateError && error.code === 'BODY_TOO_LARGE' ? new GateError('FORM_NOT_KEPT') : error;
  });
  const form = await keepForm(context, { path: target, contentType: type, body: body.toString('base64') });
  return toSignInPage(context, resumeUrl(form, from));
}
