import type { Answer } from '../http/answer.ts';
import { sourceOf } from '../http/peer.ts';
import type { ReceivedForm } from '../http/read-form.ts';
import { readReturnTo } from '../model/return-to.ts';
import type { PendingRecord } from '../sessions/pending.ts';
import type { SignedIn } from '../sign-in/door.ts';
import { handleOfEcp, SamlDoor, speaksEcp } from '../sign-in/saml.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { type Context, sessionCookies } from './context.ts';
import { refuse } from './refuse.ts';
import { signInFailure } from './sign-in-failure.ts';

/**
 * The provider for a client that is not a browser and speaks SAML's enhanced client profile (ECP).
 * @param providers those whose people may come here; undefined for any
 * @returns undefined when the request is not from such a client, or none of the providers speaks SAML
 */
export function findEcpDoor(
  { request, state }: Context,
  method: string,
  providers: readonly string[] | undefined,
): SamlDoor | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !speaksEcp(request.headers)) return undefined;
  for (const door of state.doors.values())
    if (door instanceof SamlDoor && (providers === undefined || providers.includes(door.id))) return door;
  return undefined;
}

/**
 * Gives such a client the AuthnRequest itself, to carry to its provider.
 * @param fresh the provider must ask the person again
 * @returns undefined for any other client
 */
export async function answerEcp(
  context: Context,
  target: string,
  providers: readonly string[] | undefined,
  fresh = false,
): Promise<Answer | undefined> {
  const { request, parts, peer } = context;
  const door = findEcpDoor(context, request.method ?? '', providers);
  if (door === undefined) return undefined;
  const returnTo = readReturnTo(target);
  let started: Awaited<ReturnType<typeof door.startEcp>>;
  try {
    started = await door.startEcp({ fresh });
  } catch (error) {
    return signInFailure(context, door, error, returnTo);
  }
  const { handle, pending, envelope, contentType } = started;
  const sessionId = parts.sessions.readCookie(sessionCookies(context))?.id;
  await parts.pending.keep(handle, bindingOf(handle), sourceOf(peer.client), {
    kind: 'ecp',
    provider: door.id,
    pending,
    ...(returnTo === undefined ? {} : { returnTo }),
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  return { status: 200, headers: { 'content-type': contentType }, body: envelope };
}

/** `/gate/{id}/acs`: an enhanced client delivers its provider's answer. */
export async function finishEcp(context: Context, door: SamlDoor, received: ReceivedForm): Promise<Answer> {
  const { parts } = context;
  let signedIn: SignedIn;
  let record: PendingRecord | undefined;
  try {
    const handle = await handleOfEcp(received);
    record = handle === undefined ? undefined : await parts.pending.take('ecp', handle, [bindingOf(handle)]);
    if (record?.provider !== door.id) return refuse(context, 'SIGN_IN_EXPIRED');
    signedIn = await door.finishEcp(received, record.pending);
  } catch (error) {
    return signInFailure(context, door, error, record?.returnTo);
  }
  return completeSignIn(context, door, signedIn, record);
}

/**
 * These clients need not keep a cookie before they are signed in. For browsers, the binding guards against a page that posts an
 * answer in another person's name; no page can post this content type to another site without that site's consent.
 */
const bindingOf = (handle: string): string => `enhanced client ${handle}`;
