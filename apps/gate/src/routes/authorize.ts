import { readBearer } from '../bearer/access-tokens.ts';
import { type Decision, decideBy, findRule } from '../model/decide.ts';
import type { Identity } from '../model/identity.ts';
import { identityHeaders } from '../model/identity-headers.ts';
import type { RequestPath } from '../model/request-path.ts';
import type { Session } from '../sessions/sessions.ts';
import { SamlDoor } from '../sign-in/saml.ts';
import { type Context, findSession } from './context.ts';

export interface Authorization {
  readonly decision: Decision;
  readonly identity: Identity | undefined;
  readonly session: Session | undefined;
  /** What the upstream hears of the person, and only when the answer is yes. */
  readonly headers: readonly (readonly [string, string])[];
}

/** Judges one request: by an access token where the rule takes them, else by the session. */
export async function authorize(context: Context, method: string, { path }: RequestPath, mode: string): Promise<Authorization> {
  const { config } = context.state;
  const rule = findRule({ method, path }, config.rules);
  const bearer =
    rule !== undefined && rule.accessTokens.length > 0 ? readBearer(context.request.headers.authorization) : undefined;
  let session: Session | undefined;
  let identity: Identity | undefined;
  if (bearer !== undefined && rule !== undefined) identity = await context.state.accessTokens.read(bearer, rule.accessTokens);
  else {
    session = await findSession(context);
    identity = session?.identity;
  }
  const decision = decideBy(rule, identity);
  context.parts.metrics.countDecision(decision.kind, mode);
  const headers = decision.kind === 'allow' ? await headersFor(context, identity, decision, session) : [];
  if (decision.kind === 'deny')
    context.parts.log.audit('refused', {
      why: decision.why,
      rule: decision.rule?.number,
      method,
      provider: identity?.provider,
      subject: identity?.subject,
    });
  return { decision, identity, session, headers };
}

async function headersFor(
  { state, parts }: Context,
  identity: Identity | undefined,
  decision: Extract<Decision, { kind: 'allow' }>,
  session: Session | undefined,
): Promise<[string, string][]> {
  const headers = identityHeaders(identity, state.config.identityHeaders, decision.rule);
  const { identityToken } = state.config;
  if (identityToken !== undefined && identity !== undefined && parts.identityToken !== undefined)
    headers.push([identityToken.header, await parts.identityToken.sign(identity)]);
  const door = session === undefined ? undefined : state.doors.get(session.identity.provider);
  if (session !== undefined && door instanceof SamlDoor) headers.push(...door.upstreamHeaders(session.record));
  return headers;
}
