import { createHash } from 'node:crypto';
import { GateError } from '../errors.ts';
import { type Answer, formTargets, page, pagePolicy, pageWithForm, redirect } from '../http/answer.ts';
import { readCookies, writeCookie } from '../http/cookies.ts';
import { isDownload, isSameOrigin } from '../http/navigation.ts';
import { sourceOf } from '../http/peer.ts';
import { parameterOf, readForm } from '../http/read-form.ts';
import { limits } from '../limits.ts';
import { readEmail } from '../model/email.ts';
import { isTooLongToKeep, readReturnTo } from '../model/return-to.ts';
import { newSecret, type PendingRecord } from '../sessions/pending.ts';
import type { Send } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import { type Asking, signInUrl, urls } from '../urls.ts';
import { postScript, renderPost } from '../views/message.tsx';
import { renderSignIn, type SignInView } from '../views/sign-in.tsx';
import { browserSecret, type Context, findSession, siteName } from './context.ts';
import { answerEcp } from './ecp.ts';
import { refuse } from './refuse.ts';
import { signInFailure } from './sign-in-failure.ts';
import { keepWay } from './way-back.ts';

/** Why a sign-in came to nothing, by the name that the address has. */
export const notices: Readonly<Record<string, SignInView['notice']>> = {
  over: { kind: 'warn', text: 'That sign-in was already used, took too long or started in another browser. Start again here.' },
  late: {
    kind: 'warn',
    text: 'You were at your provider for more than 10 minutes, so that sign-in no longer counts. Start again here.',
  },
  removed: {
    kind: 'warn',
    text: 'This site no longer offers the provider that you came from. Sign in another way here.',
  },
  begun: {
    kind: 'warn',
    text: 'For your safety, sign-ins start here and not on the provider’s own pages. Choose your provider to continue.',
  },
  form: {
    kind: 'warn',
    text: 'We could not keep the form that you sent. Sign in here, then fill it in again.',
  },
  long: {
    kind: 'warn',
    text: 'The address that you opened is too long to keep while you sign in. Sign in here, then open it again.',
  },
  cookies: {
    kind: 'warn',
    text: 'That sign-in started in another browser, or this browser did not keep its cookie. Allow cookies for this site, then start again here.',
  },
};

/**
 * Sends a person to the sign-in page, which leads back to `target`. Always under our own name: a sign-in that begins under another
 * name of the site ends without the cookies of its beginning.
 */
export function toSignInPage({ state: { config } }: Context, target: string | undefined): Answer {
  const page = isTooLongToKeep(target) ? `${urls.signIn}?notice=long` : signInUrl(readReturnTo(target));
  return redirect(`${config.publicUrl}${page}`);
}

/** The same for a form that is not kept: the sign-in page says so, and leads back to `from`, the page where it was. */
export function toSignInWithoutForm({ state: { config } }: Context, from: string | undefined): Answer {
  return redirect(`${config.publicUrl}${noticeUrl('form', from)}`);
}

function noticeUrl(name: keyof typeof notices, returnTo: string | undefined): string {
  const page = signInUrl(returnTo);
  return `${page}${page.includes('?') ? '&' : '?'}notice=${name}`;
}

/**
 * The sign-in page for a person who comes back from a provider in vain. A form gets a redirect: it came without the session cookie, and a
 * reload must not send it again.
 */
export function noticePage(context: Context, name: keyof typeof notices, returnTo: string | undefined): Answer {
  if (context.request.method === 'POST') return redirect(noticeUrl(name, returnTo));
  return choice(context, returnTo, { notice: notices[name] }, 400);
}

/** The sign-in page, or directly the provider when there is nothing to choose. */
export async function signIn(context: Context): Promise<Answer> {
  if (context.request.method === 'POST') return byEmail(context);
  const { query, state } = context;
  const wish = query.get('returnTo') ?? query.get('rd');
  const returnTo = readReturnTo(wish);
  const session = await findSession(context);
  const wanted = query.get('provider');
  const asking = readAsking(name => query.get(name));
  // A tab that waited, or the back button: a signed-in person goes on.
  if (session !== undefined && wanted === null && !isAsking(asking)) return redirect(returnTo ?? '/');
  const ecp = await answerEcp(context, returnTo ?? '/', wanted === null ? undefined : [wanted], isAsking(asking));
  if (ecp !== undefined) return ecp;
  const door = wanted === null ? onlyDoor(context) : state.doors.get(wanted);
  if (wanted !== null && door === undefined)
    return choice(context, returnTo, {
      ...asking,
      notice: { kind: 'bad', text: 'We don’t know that provider. Choose another.' },
    });
  const isLookedAhead = /prefetch|prerender/.test(
    String(context.request.headers['sec-purpose'] ?? context.request.headers.purpose ?? ''),
  );
  const isSaved = isDownload(context.request.headers);
  const isShown = context.request.method === 'GET' && !isLookedAhead && !isSaved;
  const notice = noticeOf(isTooLongToKeep(wish) ? 'long' : query.get('notice')) ?? silentNotice(context, isShown);
  const isToChoose = door === undefined || notice !== undefined;
  // On the way to another site, the browser makes a page of it. What it would save here is no file.
  if (isToChoose && isSaved) return refuse(context, 'SIGN_IN_REQUIRED');
  if (isToChoose || isLookedAhead) return choice(context, returnTo, { notice, ...asking });
  return start(context, door.id, { returnTo, sessionId: session?.id, ...asking });
}

function readAsking(get: (name: string) => string | null | undefined): Asking {
  return { fresh: get('fresh') === '1', another: get('another') === '1' };
}

function isAsking({ fresh, another }: Asking): boolean {
  return fresh === true || another === true;
}

function noticeOf(name: string | null): SignInView['notice'] {
  return name !== null && Object.hasOwn(notices, name) ? notices[name] : undefined;
}

async function byEmail(context: Context): Promise<Answer> {
  if (isSameOrigin(context.request.headers, context.state.config.publicUrl) === false) throw new GateError('CROSS_SITE');
  const form = await readForm(context, 8192);
  const typed = (parameterOf(form, 'email') ?? '').trim().slice(0, 254);
  const returnTo = readReturnTo(parameterOf(form, 'returnTo'));
  const asking = readAsking(name => parameterOf(form, name));
  const email = readEmail(typed);
  const door = [...context.state.doors.values()].find(
    one => email !== undefined && one.config.emailDomains.includes(email.domain),
  );
  if (door !== undefined && email !== undefined) {
    const session = await findSession(context);
    return start(context, door.id, { returnTo, sessionId: session?.id, loginHint: email.address, ...asking });
  }
  const text =
    email === undefined
      ? 'That is not an email address. Check it, or choose a provider below.'
      : `No provider is set up for ${email.domain}. Choose one below.`;
  return choice(context, returnTo, { notice: { kind: 'warn', text }, email: typed, ...asking }, 422);
}

export interface StartOptions extends Asking {
  readonly returnTo?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly loginHint?: string;
}

/** Sends the browser to a provider, and keeps what its return needs. */
async function start(context: Context, id: string, options: StartOptions): Promise<Answer> {
  const { state, parts, cookies, peer } = context;
  const door = state.doors.get(id);
  if (door === undefined) throw new GateError('NOT_FOUND');
  let started: Awaited<ReturnType<typeof door.startSignIn>>;
  try {
    started = await door.startSignIn({
      ...(options.loginHint === undefined ? {} : { loginHint: options.loginHint }),
      fresh: options.fresh === true,
      another: options.another === true,
    });
  } catch (error) {
    return signInFailure(context, door, error, options.returnTo);
  }
  const record: PendingRecord = {
    kind: 'sign-in',
    provider: id,
    pending: started.pending,
    ...(options.returnTo === undefined ? {} : { returnTo: options.returnTo }),
    ...(options.sessionId === undefined ? {} : { sessionId: options.sessionId }),
  };
  await parts.pending.keep(started.handle, browserSecret(context, started.handle), sourceOf(peer.client), record);
  keepWay(context, started.handle, id, options.returnTo);
  cookies.push(
    writeCookie(state.cookies.provider, id, { isHttps: state.config.isHttps, maxAge: limits.rememberProviderSeconds }),
  );
  return sendOn(context, started.send, {
    title: 'Continue to your provider',
    text: `Taking you to ${door.name}.`,
    label: 'Continue',
  });
}

/** A redirect, or a page whose form submits itself. */
export function sendOn(context: Context, send: Send, words: { title: string; text: string; label: string }): Answer {
  if (send.kind === 'redirect') return redirect(send.url);
  return postPage(renderPost({ site: siteName(context.state), ...words, action: send.url, fields: send.fields }), send.url);
}

export function postPage(html: string, target: string, withScript = postScript): Answer {
  const script = `'sha256-${createHash('sha256').update(withScript).digest('base64')}'`;
  return page(200, html, { 'content-security-policy': pagePolicy({ formAction: formTargets(target), script }) });
}

export function choice(
  context: Context,
  returnTo: string | undefined,
  more: Pick<SignInView, 'notice' | 'email' | keyof Asking>,
  status = 200,
): Answer {
  const { state, request } = context;
  const doors = [...state.doors.values()];
  const html = renderSignIn({
    site: siteName(state),
    providers: doors.map(({ id, name }) => ({ id, name })),
    remembered: readCookies(request.headers.cookie, state.cookies.provider)[0],
    returnTo,
    byEmail: doors.length > 1 && doors.some(door => door.config.emailDomains.length > 0),
    ...more,
  });
  return pageWithForm(status, html);
}

/** The provider of the last sign-out never sent this browser back. Said once, here, to a person: other answers leave it to be said. */
function silentNotice(context: Context, isShown: boolean): SignInView['notice'] {
  const { state, request, cookies } = context;
  const [id] = readCookies(request.headers.cookie, state.cookies.leaving);
  if (id === undefined) return undefined;
  if (isShown) cookies.push(forgetLeaving(state));
  const door = state.doors.get(id);
  if (door === undefined) return undefined;
  return {
    kind: 'warn',
    text: `You are signed out here, but ${door.name} never confirmed that it signed you out everywhere. Close the browser if you share this computer.`,
  };
}

/** Used when the provider answered, or when the person has been told that it did not. */
export function forgetLeaving({ cookies, config }: State): string {
  return writeCookie(cookies.leaving, '', { isHttps: config.isHttps, maxAge: 0 });
}

function onlyDoor({ state }: Context) {
  const [only, ...others] = state.doors.values();
  return others.length === 0 ? only : undefined;
}

/** Keeps a form whose sender must sign in first. @returns its handle */
export async function keepForm(context: Context, form: { path: string; contentType: string; body: string }): Promise<string> {
  const handle = newSecret();
  await context.parts.pending.keep(handle, browserSecret(context, handle), sourceOf(context.peer.client), { kind: 'form', form });
  return handle;
}
