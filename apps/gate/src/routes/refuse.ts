import { StoreError } from '@octavo/sign-in-store';
import { catalog, type ErrorCode, GateError } from '../errors.ts';
import { type Answer, type HeaderList, json, page, pagePolicy } from '../http/answer.ts';
import { isNavigation } from '../http/navigation.ts';
import { limits } from '../limits.ts';
import type { DenyReason } from '../model/decide.ts';
import type { HelpReason } from '../model/help-address.ts';
import { readReturnTo } from '../model/return-to.ts';
import type { Rule } from '../model/rule.ts';
import type { Door } from '../sign-in/door.ts';
import { signInUrl } from '../urls.ts';
import { renderMessage } from '../views/message.tsx';
import { type Context, siteName } from './context.ts';
import { sendsEnvelope, soapFault } from './soap-fault.ts';

export interface RefusalMore {
  /** In place of the catalog's text, where more is known. */
  readonly text?: string | undefined;
  readonly detail?: string | undefined;
  readonly actions?: readonly { readonly href: string; readonly label: string }[];
  readonly headers?: HeaderList;
  /** The package's code: `reason` in JSON, in place of ours on a page. */
  readonly code?: string;
  /** The reference that the log's line has, too. */
  readonly reference?: string | undefined;
  /** For a 503; 5 when nothing better is known. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A refusal in the form the requester understands: a page for people, JSON for programs, a fault for who speaks SOAP. */
export function refuse(context: Context, code: ErrorCode, more: RefusalMore = {}): Answer {
  const { status, title } = catalog[code];
  const headers = {
    ...(status === 503 ? { 'retry-after': String(more.retryAfterSeconds ?? 5) } : {}),
    ...(status === 429 ? { 'retry-after': String(Math.ceil(limits.unknownTokenEveryMs / 1000)) } : {}),
    ...(code === 'TOKEN_REFUSED' || code === 'ID_TOKEN_AS_CREDENTIAL'
      ? { 'www-authenticate': 'Bearer error="invalid_token"' }
      : {}),
    ...(code === 'SIGN_IN_REQUIRED' ? challengeOf(undefined) : {}),
    ...more.headers,
  };
  const { method, headers: sent } = context.request;
  if (sendsEnvelope(method, context.path, sent['content-type']))
    return soapFault(status, { code: more.code ?? code, message: messageOf(code, more) }, headers);
  if (!isNavigation(context.request.method ?? 'GET', context.request.headers)) {
    const signIn = code === 'SIGN_IN_REQUIRED' ? { signIn: `${context.state.config.publicUrl}${signInUrl(undefined)}` } : {};
    return json(
      status,
      {
        error: code,
        message: messageOf(code, more),
        ...(more.code === undefined ? {} : { reason: more.code }),
        ...(more.reference === undefined ? {} : { reference: more.reference }),
        ...signIn,
      },
      headers,
    );
  }
  const site = siteName(context.state);
  const { text = catalog[code].text, detail, reference, actions = wayOn(context, code) } = more;
  const shown = [more.code ?? code, ...(reference === undefined ? [] : [reference])].join(' · ');
  return page(status, renderMessage({ site, title, text, detail, code: shown, actions }), headers);
}

function messageOf(code: ErrorCode, { text, detail }: RefusalMore): string {
  if (text === undefined) return detail ?? catalog[code].text;
  return detail === undefined ? text : `${text} ${detail}`;
}

/** How to authenticate (RFC 9110 §15.5.2). A bare Bearer is not a valid challenge: it needs a parameter (RFC 6750 §3). */
export function challengeOf(rule: Rule | undefined): Record<string, string> {
  const takesTokens = rule !== undefined && rule.accessTokens.length > 0;
  return { 'www-authenticate': `${takesTokens ? 'Bearer' : 'Cookie'} realm="gate"` };
}

/** Tells a client that its access token lacks a scope (RFC 6750 §3.1). */
export function scopeChallengeOf(why: DenyReason): Record<string, string> {
  return why === 'scope' ? { 'www-authenticate': 'Bearer error="insufficient_scope"' } : {};
}

const mayHelpAgain: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_DOWN', 'UPSTREAM_SLOW', 'SIGN_IN_REQUIRED']);
const leadsHome: ReadonlySet<ErrorCode> = new Set(['ADDRESS_REFUSED', 'BAD_REQUEST', 'NOT_FOUND']);

/** Trying again does not help there, and a page should not be a dead end. */
function wayOn({ path }: Context, code: ErrorCode): NonNullable<RefusalMore['actions']> {
  return leadsHome.has(code) && path !== '/' ? [{ href: '/', label: 'Go to the start page' }] : [];
}

/** The refusal for an error. Unforeseen errors become INTERNAL: access is denied, the error logged, and nothing of it shown. */
export function refusalOf(context: Context, error: unknown): Answer {
  if (error instanceof StoreError && error.code === 'STORE_UNAVAILABLE') {
    context.parts.metrics.storeFailures.inc();
    return refuse(context, 'STORE_DOWN', { actions: againAction(context) });
  }
  if (!(error instanceof GateError)) return refuse(context, 'INTERNAL');
  const headers = error.allow === undefined ? {} : { allow: error.allow.join(', ') };
  return refuse(context, error.code, {
    detail: error.detail,
    headers,
    retryAfterSeconds: error.retryAfterSeconds,
    ...(mayHelpAgain.has(error.code) ? { actions: againAction(context) } : {}),
  });
}

/**
 * Links to the same page of the application, or to the beginning of a sign-in under way. Only GET: a sent form is not sent again.
 * Callbacks of the gate work only once.
 */
function againAction({ request, startOver }: Context): NonNullable<RefusalMore['actions']> {
  const target = startOver ?? (request.method === 'GET' ? readReturnTo(request.url) : undefined);
  return target === undefined ? [] : [{ href: target, label: 'Try again' }];
}

/** Links to the provider's own help page for people who could not come in, if it has one. */
export function helpActions(door: Door | undefined, reason: HelpReason): NonNullable<RefusalMore['actions']> {
  const href = door?.helpUrl?.(reason);
  return door === undefined || href === undefined ? [] : [{ href, label: `Get help from ${door.name}` }];
}

/** The page for requests where oidc-provider cannot trust the address to send the person back to. */
export function bridgeError(
  site: string,
  { error, description }: { error: string; description: string | undefined },
): { headers: Record<string, string>; body: string } {
  const { title, text } = catalog.BAD_REQUEST;
  const detail = `An application sent you here with a request that we cannot answer${description === undefined ? '' : `: ${description}`}. Go back to the application and try again, or contact its administrator.`;
  return {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy(), 'x-frame-options': 'DENY' },
    body: renderMessage({ site, title, text, detail, code: error }),
  };
}
