import { GateError } from '../errors.ts';
import { type Answer, redirect } from '../http/answer.ts';
import { parameterOf, readForm } from '../http/read-form.ts';
import { limits } from '../limits.ts';
import { readReturnTo } from '../model/return-to.ts';
import { UnfinishedSignIn } from '../sign-in/door.ts';
import { OidcDoor } from '../sign-in/oidc.ts';
import { isEcpAnswer, SamlDoor } from '../sign-in/saml.ts';
import { resumeUrl, signInUrl } from '../urls.ts';
import { fillScript, renderResume, resumeScript } from '../views/resume.tsx';
import { completeSignIn, dropSignIn, handOut } from './complete-sign-in.ts';
import { browserSecrets, type Context, findSession, siteName } from './context.ts';
import { finishEcp } from './ecp.ts';
import { formLost, readKeptForm } from './kept-form.ts';
import { returnFromRemoved } from './removed-provider.ts';
import { noticePage, postPage, toSignInPage } from './sign-in.ts';
import { signInFailure } from './sign-in-failure.ts';
import { findWay, forgetWay } from './way-back.ts';

/** `/gate/{id}/callback`: an OpenID provider sends the browser back. */
export async function callback(context: Context, id: string): Promise<Answer> {
  if (!(context.state.doors.get(id) instanceof OidcDoor)) return returnFromRemoved(context, id, 'callback');
  return finishSignIn(context, id);
}

/** `/gate/{id}/acs`: a SAML identity provider sends the browser back. */
export async function assertionConsumer(context: Context, id: string): Promise<Answer> {
  const door = context.state.doors.get(id);
  if (!(door instanceof SamlDoor)) return returnFromRemoved(context, id, 'acs');
  if (isEcpAnswer(context.request.headers['content-type']))
    return finishEcp(context, door, await readForm(context, limits.maxFormBytes));
  return finishSignIn(context, id);
}

async function finishSignIn(context: Context, id: string): Promise<Answer> {
  const { state, parts } = context;
  const door = state.doors.get(id);
  if (door === undefined) throw new GateError('NOT_FOUND');
  const received = await readForm(context, limits.maxFormBytes);
  const handle = parameterOf(received, door.handleParameter);
  const secrets = browserSecrets(context, handle);
  let why: Stray = strayBy(secrets);
  // A provider that begins a sign-in sends no RelayState, or an address of its own choice.
  if (door instanceof SamlDoor && !/^[\w-]{32}$/.test(handle ?? '')) why = 'begun at the provider';
  const record = await parts.pending.take('sign-in', handle, secrets, () => {
    why = otherKey;
  });
  if (record?.provider !== id) return noPendingSignIn(context, id, why, findWay(context, handle));
  const { returnTo } = record;
  context.startOver = signInUrl(returnTo, id);
  let signedIn: Awaited<ReturnType<typeof door.finishSignIn>>;
  try {
    signedIn = await door.finishSignIn(received, record.pending);
  } catch (error) {
    if (!(error instanceof UnfinishedSignIn)) return signInFailure(context, door, error, returnTo);
    await dropSignIn(context, error.signedIn, record.sessionId);
    return signInFailure(context, door, error.cause, returnTo);
  }
  const answer = await completeSignIn(context, door, signedIn, record);
  // A refusal leads nowhere, and the person may come back by its address.
  if (answer.status === 303) forgetWay(context, handle);
  return answer;
}

/** `/gate/{id}/complete`: the browser fetches the session of a sign-in that a form from another site finished. */
export async function complete(context: Context, id: string): Promise<Answer> {
  const { parts, query } = context;
  const handle = query.get('sign-in') ?? undefined;
  const secrets = browserSecrets(context, handle);
  let why: Stray = strayBy(secrets);
  const record = await parts.pending.take('created', handle, secrets, () => {
    why = otherKey;
  });
  if (record?.provider !== id || record.created === undefined) return noPendingSignIn(context, id, why);
  context.startOver = signInUrl(record.returnTo, id);
  return handOut(context, record.created, record.returnTo);
}

const otherKey = 'sealed with a key that is not in session.keys of this process';
const noticeNames = {
  'no cookie': 'cookies',
  'not under way': 'over',
  'begun at the provider': 'begun',
  [otherKey]: 'over',
} as const;

const strayBy = (secrets: readonly string[]): Stray => (secrets.length === 0 ? 'no cookie' : 'not under way');

/** Why an answer belongs to no sign-in, in the words of the log. */
type Stray = keyof typeof noticeNames;

/**
 * An answer that belongs to no sign-in: the back button, a second tab, a sign-in of another browser, or a forgery. A signed-in
 * person goes on. A POST from a provider's page comes without the session cookie, so finding out takes another step.
 */
async function noPendingSignIn(
  context: Context,
  provider: string,
  why: Stray,
  way?: ReturnType<typeof findWay>,
): Promise<Answer> {
  const { request, parts, peer } = context;
  if (request.method !== 'POST' && (await findSession(context)) !== undefined) return redirect(way?.returnTo ?? '/');
  parts.metrics.signIns.inc({ provider, outcome: 'stale' });
  parts.log.audit('sign-in-failed', { provider, reason: 'SIGN_IN_EXPIRED', why, client: peer.client });
  return noticePage(context, way?.isLate === true ? 'late' : noticeNames[why], way?.returnTo);
}

/**
 * Sends a kept form again, once its sender is signed in. Only the first page does so by itself: after a reload, or the back button,
 * the application may have the form already.
 */
export async function resume(context: Context): Promise<Answer> {
  const handle = context.query.get('form') ?? '';
  const from = readReturnTo(context.query.get('page'));
  if ((await findSession(context)) === undefined) return toSignInPage(context, resumeUrl(handle, from));
  const shown = await context.parts.pending.showForm(handle, browserSecrets(context, handle));
  const fields = shown && (await readKeptForm(shown.form));
  if (shown === undefined || fields === undefined) return formLost(context, from);
  const { isAgain, form } = shown;
  const { path } = form;
  const isMultipart = fields.some(field => field.file !== undefined) || /^multipart/i.test(form.contentType);
  const html = renderResume({ site: siteName(context.state), action: path, fields, isMultipart, isAgain });
  return postPage(html, path, isAgain ? fillScript : resumeScript);
}

/** `/gate/{id}/metadata`: what the IdP needs to know about us. */
export function samlMetadata(context: Context, id: string): Answer {
  const door = context.state.doors.get(id);
  if (!(door instanceof SamlDoor)) throw new GateError('NOT_FOUND');
  return { status: 200, headers: { 'content-type': 'application/samlmetadata+xml' }, body: door.ourMetadata };
}

export function requireOidc(context: Context, id: string): OidcDoor {
  const door = context.state.doors.get(id);
  if (!(door instanceof OidcDoor)) throw new GateError('NOT_FOUND');
  return door;
}

export function requireSaml(context: Context, id: string): SamlDoor {
  const door = context.state.doors.get(id);
  if (!(door instanceof SamlDoor)) throw new GateError('NOT_FOUND');
  return door;
}
