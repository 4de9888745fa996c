import type { IncomingMessage } from 'node:http';
import { GateError } from '../errors.ts';
import { type Answer, json, redirect } from '../http/answer.ts';
import { headerValues } from '../http/header-values.ts';
import { isForeignWebSocket, isNavigation, isSameOrigin } from '../http/navigation.ts';
import { readPathFor } from '../model/file-reading.ts';
import type { RequestPath } from '../model/request-path.ts';
import { readReturnTo } from '../model/return-to.ts';
import type { Session } from '../sessions/sessions.ts';
import type { State } from '../state.ts';
import { signInUrl, urls } from '../urls.ts';
import { type Authorization, authorize } from './authorize.ts';
import { type Context, siteName } from './context.ts';
import { denied } from './denied.ts';
import { findEcpDoor } from './ecp.ts';
import { readFormPage } from './kept-form.ts';
import { challengeOf, refuse, scopeChallengeOf } from './refuse.ts';
import { toSignInPage, toSignInWithoutForm } from './sign-in.ts';

/** Whether a web server asks here. Caddy asks about a WebSocket with its `Upgrade`, and waits for an answer like any other. */
export function isQuestion({ url = '' }: IncomingMessage): boolean {
  const [path] = url.split('?', 1);
  return path === urls.check || path === urls.forward;
}

/** `GET /gate/check` for nginx's auth_request, which understands 2xx, 401 and 403. */
export async function check(context: Context): Promise<Answer> {
  requireTrusted(context);
  // nginx turns any other status into a 500, which hides the reason from its log.
  const refused = (message: string) => json(403, { error: 'ADDRESS_REFUSED', message });
  const [target, method] = [readForwarded(context, 'uri'), readForwarded(context, 'method')];
  if (target.isContradiction || method.isContradiction) {
    tellOnce(context, contradiction);
    return refused(contradiction);
  }
  const path = readTarget(context, target.text);
  if (typeof path === 'string') return refused(path);
  if (!isMethod(method.text)) return refused(noMethod);
  const { decision, session, headers } = await authorizeForwarded(context, method.text, path, 'check');
  if (isForeign(context, session)) return json(403, { error: 'CROSS_SITE' });
  if (decision.kind === 'allow') return { status: 202, headers: Object.fromEntries(headers) };
  if (decision.kind === 'sign-in')
    return json(401, { error: 'SIGN_IN_REQUIRED', signIn: signInUrl(readReturnTo(path.target)) }, challengeOf(decision.rule));
  return json(403, { error: 'FORBIDDEN', why: decision.why }, scopeChallengeOf(decision.why));
}

/** `GET /gate/forward` for Traefik and Caddy, which pass our answer on to the person. */
export async function forward(context: Context): Promise<Answer> {
  requireTrusted(context);
  const { headers } = context.request;
  // An empty one says as little as none.
  const method = forwardedText(context, 'x-forwarded-method') || undefined;
  const host = forwardedText(context, 'x-forwarded-host');
  const { publicUrl } = context.state.config;
  if (host !== undefined && withoutDefaultPort(host.toLowerCase(), publicUrl) !== new URL(publicUrl).host)
    return otherHost(context, method);
  const path = readTarget(context, forwardedText(context, 'x-forwarded-uri'));
  if (typeof path === 'string') return refuse(context, 'ADDRESS_REFUSED', { detail: path });
  if (!isMethod(method)) return refuse(context, 'BAD_REQUEST', { detail: noMethod });
  const authorization = await authorizeForwarded(context, method, path, 'forward');
  const { decision, session, headers: identityHeaders } = authorization;
  if (isForeign(context, session)) return refuse(context, 'CROSS_SITE');
  if (decision.kind === 'allow') return { status: 202, headers: Object.fromEntries(identityHeaders) };
  const returnTo = readReturnTo(path.target);
  if (decision.kind === 'deny') return denied(context, decision, authorization, returnTo);
  // No server in front passes a 200 of ours on to the person, so the envelope comes from the sign-in page.
  const ecp = findEcpDoor(context, method ?? 'GET', decision.providers);
  if (ecp !== undefined) return redirect(`${publicUrl}${signInUrl(returnTo, ecp.id)}`);
  if (!isNavigation(method ?? 'GET', headers))
    return refuse(context, 'SIGN_IN_REQUIRED', { headers: challengeOf(decision.rule) });
  if (method !== 'POST') return toSignInPage(context, path.target);
  return toSignInWithoutForm(context, isSameOrigin(headers, publicUrl) === true ? readFormPage(headers) : undefined);
}

/** Not a redirect: the host may belong to another application, or to a proxy that never says another one. */
function otherHost(context: Context, method = 'GET'): Answer {
  const { publicUrl } = context.state.config;
  const path = readReturnTo(forwardedText(context, 'x-forwarded-uri')) ?? '/';
  const wayOn = { href: `${publicUrl}${path}`, label: `Go to ${siteName(context.state)}` };
  return refuse(context, 'FORBIDDEN', {
    detail: 'The gate does not serve this host.',
    actions: method === 'GET' || method === 'HEAD' ? [wayOn] : [],
  });
}

/** Browsers leave out the scheme's default port; other clients may send it (RFC 9110 §4.2.3). */
function withoutDefaultPort(host: string, publicUrl: string): string {
  return host.replace(publicUrl.startsWith('https:') ? /:443$/ : /:80$/, '');
}

/**
 * Methods are case-sensitive (RFC 9110 §9.1), but many applications convert them to capitals, and Go's servers accept any. So
 * `post` would not be POST to the rules, but would be to the application. Node and nginx refuse such a request themselves.
 */
function isMethod(text: string | undefined): boolean {
  return text === undefined || text === '' || /^[A-Z]+(?:-[A-Z]+)*$/.test(text);
}

const noMethod = 'the method is not in capital letters, so the rules and the application could read it differently';

/** Same as without a proxy in front: a WebSocket that a page of another site opened must not act in the person's name. */
function isForeign({ request, state }: Context, session: Session | undefined): boolean {
  return session !== undefined && isForeignWebSocket(request.headers, state.config.publicUrl);
}

/** Anybody could claim any path; only the proxy in front knows the real one (CVE-2026-40575). */
function requireTrusted(context: Context): void {
  const { peer } = context;
  if (peer.isTrusted) return;
  const why = `${peer.address} is not in trustedProxies`;
  tellOnce(context, why);
  throw new GateError('UNTRUSTED_PEER', why);
}

const contradiction =
  'X-Original-… and X-Forwarded-… contradict each other: the proxy in front must set both, or remove the one it does not set';

const told = new WeakMap<State, Set<string>>();
const maxTold = 100;

/**
 * nginx shows nobody our reason for a 403, so the log has it: once for each configuration, as it would come with every request.
 */
function tellOnce({ state, parts }: Context, why: string): void {
  const before = told.get(state) ?? new Set();
  told.set(state, before);
  if (before.has(why) || before.size >= maxTold) return;
  before.add(why);
  parts.log.warn('the gate cannot answer the proxy in front', { why });
}

/**
 * Reads what the proxy in front says, under either of two names. When both are present, one may come from the client, passed on
 * by a proxy that sets only the other one. So they must agree.
 */
function readForwarded(context: Context, what: 'uri' | 'method'): { text: string | undefined; isContradiction: boolean } {
  const original = forwardedText(context, `x-original-${what}`);
  const forwarded = forwardedText(context, `x-forwarded-${what}`);
  const isContradiction = original !== undefined && forwarded !== undefined && original !== forwarded;
  return { text: original ?? forwarded, isContradiction };
}

/** A proxy that sends no method asks on behalf of any: the first answer that is not `allow`, among those the rules give, counts. */
async function authorizeForwarded(
  context: Context,
  method: string | undefined,
  path: RequestPath,
  mode: string,
): Promise<Authorization> {
  if (method !== undefined && method !== '') return authorize(context, method, path, mode);
  const answer = await authorize(context, 'GET', path, mode);
  const named = new Set(context.state.config.rules.flatMap(rule => rule.methods ?? []));
  // The last one stands for every method that no rule names.
  for (const one of named.size === 0 ? [] : [...named, 'another']) {
    if (answer.decision.kind !== 'allow') break;
    const other = await authorize(context, one, path, mode);
    if (other.decision.kind !== 'allow') return other;
  }
  return answer;
}

/** A header that may appear only once: two of them could say different things. */
function forwardedText({ request }: Context, name: string): string | undefined {
  const values = headerValues(request, name);
  if (values.length > 1) throw new GateError('BAD_REQUEST', `expected at most one ${name} header, received ${values.length}`);
  return values[0];
}

function readTarget(context: Context, text: string | undefined): RequestPath | string {
  if (text === undefined || text === '') {
    const why = 'the proxy in front did not say which address is requested';
    tellOnce(context, why);
    return why;
  }
  const verdict = readPathFor(context.state.config.rules, text);
  return verdict.kind === 'path' ? verdict.value : verdict.why;
}
