import { GateError } from '../errors.ts';
import { type Answer, json, redirect } from '../http/answer.ts';
import { headerValues } from '../http/header-values.ts';
import { isNavigation } from '../http/navigation.ts';
import { type RequestPath, readRequestPath } from '../model/request-path.ts';
import { readReturnTo } from '../model/return-to.ts';
import { signInUrl } from '../urls.ts';
import { authorize } from './authorize.ts';
import type { Context } from './context.ts';
import { denied } from './denied.ts';
import { findEcpDoor } from './ecp.ts';
import { refuse } from './refuse.ts';

/** `GET /gate/check` for nginx's auth_request, which understands 2xx, 401 and 403. */
export async function check(context: Context): Promise<Answer> {
  requireTrusted(context);
  const target = forwardedText(context, 'x-original-uri') ?? forwardedText(context, 'x-forwarded-uri');
  const method = forwardedText(context, 'x-original-method') ?? forwardedText(context, 'x-forwarded-method') ?? 'GET';
  const path = readTarget(target);
  // nginx makes a 500 of anything else, which hides the reason from its log.
  if (typeof path === 'string') return json(403, { error: 'ADDRESS_REFUSED', message: path });
  const { decision, headers } = await authorize(context, method, path, 'check');
  if (decision.kind === 'allow') return { status: 202, headers: Object.fromEntries(headers) };
  if (decision.kind === 'sign-in')
    return json(
      401,
      { error: 'SIGN_IN_REQUIRED', signIn: signInUrl(readReturnTo(path.target)) },
      { 'www-authenticate': 'Cookie realm="gate"' },
    );
  return json(403, { error: 'FORBIDDEN', why: decision.why });
}

/** `GET /gate/forward` for Traefik and Caddy, which pass our answer on to the person. */
export async function forward(context: Context): Promise<Answer> {
  requireTrusted(context);
  const { headers } = context.request;
  const method = forwardedText(context, 'x-forwarded-method') ?? 'GET';
  const host = forwardedText(context, 'x-forwarded-host');
  const { publicUrl } = context.state.config;
  if (host !== undefined && host.toLowerCase() !== new URL(publicUrl).host)
    return refuse(context, 'FORBIDDEN', { detail: 'The gate stands in front of another host.' });
  const path = readTarget(forwardedText(context, 'x-forwarded-uri'));
  if (typeof path === 'string') return refuse(context, 'ADDRESS_REFUSED', { detail: path });
  const { decision, identity, headers: identityHeaders } = await authorize(context, method, path, 'forward');
  if (decision.kind === 'allow') return { status: 202, headers: Object.fromEntries(identityHeaders) };
  const returnTo = readReturnTo(path.target);
  if (decision.kind === 'deny') return denied(context, decision, identity, returnTo);
  // No server in front takes a 200 of ours for an answer to the person: the envelope comes from the sign-in page.
  const ecp = findEcpDoor(context, method, decision.providers);
  if (ecp !== undefined) return redirect(`${publicUrl}${signInUrl(returnTo, ecp.id)}`);
  if (!isNavigation(method, headers)) return refuse(context, 'SIGN_IN_REQUIRED');
  return redirect(`${publicUrl}${signInUrl(method === 'POST' ? undefined : returnTo)}`);
}

/** Anybody could say any path; only the proxy in front says the real one (CVE-2026-40575). */
function requireTrusted({ peer }: Context): void {
  if (!peer.isTrusted) throw new GateError('UNTRUSTED_PEER', `${peer.address} is not in trustedProxies`);
}

/** A header that must be there once: two of them are two stories. */
function forwardedText({ request }: Context, name: string): string | undefined {
  const values = headerValues(request, name);
  if (values.length > 1) throw new GateError('BAD_REQUEST', `${name} came ${values.length} times`);
  return values[0];
}

function readTarget(text: string | undefined): RequestPath | string {
  if (text === undefined || text === '') return 'the proxy in front did not say which address is asked for';
  const verdict = readRequestPath(text);
  return verdict.kind === 'path' ? verdict.value : verdict.why;
}
