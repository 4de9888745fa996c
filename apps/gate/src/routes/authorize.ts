import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AcceptedToken } from '../bearer/accepted.ts';
import { readBearer } from '../bearer/access-tokens.ts';
import { GateError } from '../errors.ts';
import { headerValues } from '../http/header-values.ts';
import { sourceOf } from '../http/peer.ts';
import { type Decision, decideBy, findRule } from '../model/decide.ts';
import { readPathFor } from '../model/file-reading.ts';
import type { Identity } from '../model/identity.ts';
import { identityHeaders, maxValueLength } from '../model/identity-headers.ts';
import type { RequestPath } from '../model/request-path.ts';
import type { Rule } from '../model/rule.ts';
import type { Session } from '../sessions/sessions.ts';
import { SamlDoor } from '../sign-in/saml.ts';
import type { State } from '../state.ts';
import { type Context, findSession, recallSession, sessionCookies } from './context.ts';

export interface Authorization {
  readonly decision: Decision;
  readonly identity: Identity | undefined;
  readonly session: Session | undefined;
  /** The access token, when used in place of a session. */
  readonly token?: AcceptedToken | undefined;
  /** Names a refusal in the log and on the person's page, so that an operator finds the line without the page's name or address. */
  readonly reference?: string;
  /** The headers that tell the upstream about the person; empty unless the request is allowed. */
  readonly headers: readonly (readonly [string, string])[];
}

/**
 * Authorizes one request: by an access token where the rule accepts them and one was sent, otherwise by the session. Answers
 * synchronously where nothing has to be waited for, which is nearly always: a promise for each step costs more than the answer.
 */
export function authorize(
  context: Context,
  method: string,
  path: RequestPath,
  mode: string,
): Authorization | Promise<Authorization> {
  const authorized = authorizeNow(context, method, path, mode);
  if (!(authorized instanceof Promise)) return authorized;
  // A provider or the store may have taken seconds. If the rules became stricter meanwhile, no old one lets the request through.
  return authorized.then(known => (context.catchUp() ? authorizeAnew(context, method, path.target, mode) : known));
}

/** From the start: the new rules may also refuse to read the address (`ignorePathCase`). */
function authorizeAnew(context: Context, method: string, target: string, mode: string): Authorization | Promise<Authorization> {
  const verdict = readPathFor(context.state.config.rules, target);
  if (verdict.kind === 'refused') throw new GateError('ADDRESS_REFUSED', verdict.why);
  return authorize(context, method, verdict.value, mode);
}

function authorizeNow(
  context: Context,
  method: string,
  { path }: RequestPath,
  mode: string,
): Authorization | Promise<Authorization> {
  const { request, state } = context;
  const rule = findRule({ method, path }, state.config.rules);
  const bearer = rule !== undefined && rule.accessTokens.length > 0 ? readBearer(credentialsOf(request)) : undefined;
  if (bearer !== undefined && rule !== undefined)
    return state.accessTokens
      .read(bearer, {
        demands: rule.accessTokens,
        source: sourceOf(context.peer.client),
        isEnough: identity => decideBy(rule, identity).kind === 'allow',
      })
      .then(token => concluded(context, method, mode, { rule, identity: token.identity, session: undefined, token }));
  const cookies = sessionCookies(context);
  if (cookies.length === 0) return concluded(context, method, mode, { rule, identity: undefined, session: undefined });
  const session = recallSession(context, cookies);
  if (session !== undefined) return concluded(context, method, mode, { rule, identity: session.identity, session });
  return findSession(context).then(found =>
    concluded(context, method, mode, { rule, identity: found?.identity, session: found }),
  );
}

/** Node shows the first of two Authorization headers, but both go on to the application, which may read the other one. */
function credentialsOf(request: IncomingMessage): string | undefined {
  const [credentials, ...more] = headerValues(request, 'authorization');
  if (more.length > 0) throw new GateError('BAD_REQUEST', 'expected at most one Authorization header');
  return credentials;
}

const told = new WeakMap<State, Set<string>>();
const maxTold = 1000;

/** The application sees a person without groups, say: only the log can tell why. Once for a session, and for the subject of tokens. */
function tellTooLong(
  { state, parts }: Context,
  { identity, session }: { identity: Identity; session: Session | undefined },
  header: string,
  length: number,
): void {
  const before = told.get(state) ?? new Set();
  told.set(state, before);
  const { provider, subject } = identity;
  const key = JSON.stringify([session?.key ?? [provider, subject], header]);
  if (before.has(key)) return;
  if (before.size >= maxTold) before.clear();
  before.add(key);
  parts.log.warn('an identity header is too long and is left out', { header, length, atMost: maxValueLength, provider, subject });
}

export function newReference(): string {
  return randomBytes(4).toString('hex');
}

type Asked = Pick<Authorization, 'identity' | 'session' | 'token'> & { readonly rule: Rule | undefined };

function concluded(
  context: Context,
  method: string,
  mode: string,
  { rule, identity, session, token }: Asked,
): Authorization | Promise<Authorization> {
  const decision = decideBy(rule, identity);
  const { log, metrics, identityToken } = context.parts;
  metrics.countDecision(decision.kind, mode);
  if (decision.kind === 'deny') {
    const reference = newReference();
    log.audit('refused', {
      reference,
      why: decision.why,
      rule: decision.rule?.number,
      method,
      provider: identity?.provider,
      subject: identity?.subject,
      client: context.peer.client,
    });
    return { decision, identity, session, token, reference, headers: [] };
  }
  if (decision.kind !== 'allow' || identity === undefined) return { decision, identity, session, token, headers: [] };
  const { config, doors } = context.state;
  const headers = identityHeaders(identity, config.identityHeaders, decision.rule, (header, length) =>
    tellTooLong(context, { identity, session }, header, length),
  );
  const door = session === undefined ? undefined : doors.get(identity.provider);
  if (session !== undefined && door instanceof SamlDoor) headers.push(...door.upstreamHeaders(session.record));
  if (config.identityToken === undefined || identityToken === undefined) return { decision, identity, session, token, headers };
  const { header } = config.identityToken;
  return identityToken
    .sign(identity)
    .then(signed => ({ decision, identity, session, token, headers: [...headers, [header, signed]] }));
}
