import type { Configuration } from '../client/configuration.ts';
import { randomText } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { type IncomingRequest, readIncoming } from '../http/incoming-request.ts';
import { readReturnTo } from '../http/return-to.ts';
import { decryptNestedJwt } from '../keys/jwe.ts';
import { isSameText } from '../values/same-text.ts';
import { dictionaryOf, may, members, must, nullOr, requireShape, text } from '../values/shape.ts';

/** The parameters that a sign-out sends to the provider. */
export interface SignOutRequest {
  /** The ID Token of the session, so that the provider need not ask which one to end. */
  idTokenHint?: string | undefined;
  /** Where the person goes afterwards: a path on this site. */
  returnTo?: string | undefined;
  /** Who is signing out, in the provider's terms. */
  logoutHint?: string | undefined;
  /** Provider-specific parameters. They cannot replace one that this package sets. */
  extraParameters?: Readonly<Record<string, string>> | undefined;
}

/** A sign-out under way. Keep it like a pending sign-in. It is JSON; every member is always present. */
export interface PendingSignOut {
  state: string;
  returnTo: string | null;
}

/** Where to send the browser to sign out at the provider. */
export interface StartedSignOut {
  url: URL;
  /**
   * The same as a form to post: it keeps the ID Token out of the address bar, histories and logs, and has no length limit (OpenID
   * Connect RP-Initiated Logout §2 lets the client choose).
   */
  post: { action: URL; fields: Readonly<Record<string, string>> };
  pending: PendingSignOut;
}

/** The return from the provider. Whatever it says, the session here is already over. */
export interface SignOutReturn {
  /** Whether the return belongs to the sign-out that this browser started. */
  state: 'matched' | 'different' | 'absent';
  /** The path given at the start, and only when the state matched: never an address from the request. */
  returnTo: string | undefined;
}

const shape = members<SignOutRequest>({
  idTokenHint: may(text(65_536)),
  returnTo: may(() => undefined),
  logoutHint: may(text(2048)),
  extraParameters: may(dictionaryOf(text(8192), 'strings')),
});
const reserved = ['client_id', 'id_token_hint', 'logout_hint', 'post_logout_redirect_uri', 'state'];
const pendingShape = members<PendingSignOut>({ state: must(text(128)), returnTo: must(nullOr(text())) });

/**
 * Creates the request that ends the session at the provider (OpenID Connect RP-Initiated Logout §2). End your own session first:
 * the person may never come back.
 */
export async function createLogoutRequest(
  configuration: Configuration,
  endpoint: URL,
  request: SignOutRequest = {},
): Promise<StartedSignOut> {
  requireShape(request, 'request', shape);
  const hint = request.idTokenHint === undefined ? undefined : await signedHint(configuration, request.idTokenHint);
  const extra = request.extraParameters ?? {};
  const taken = Object.keys(extra).find(name => reserved.includes(name));
  if (taken !== undefined) {
    const expected = 'only names that this package does not set itself';
    throw new OidcError('OIDC_CONFIG_INVALID', { check: 'request.extraParameters', expected, received: taken });
  }
  const state = randomText(configuration.environment);
  const after = configuration.postLogoutRedirectUri;
  const fields: Record<string, string> = {
    ...extra,
    client_id: configuration.clientId,
    ...(hint === undefined ? {} : { id_token_hint: hint }),
    ...(request.logoutHint === undefined ? {} : { logout_hint: request.logoutHint }),
    ...(after === undefined ? {} : { post_logout_redirect_uri: after, state }),
  };
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  const returnTo = request.returnTo === undefined ? null : readReturnTo(request.returnTo, 'request.returnTo');
  return { url, post: { action: new URL(endpoint), fields }, pending: { state, returnTo } };
}

// RP-Initiated Logout §2: the provider cannot read an ID Token that was encrypted for us.
async function signedHint({ idTokenDecryption, limits }: Configuration, hint: string): Promise<string> {
  if (idTokenDecryption === undefined || hint.split('.', 6).length !== 5) return hint;
  return decryptNestedJwt(hint, idTokenDecryption, { subject: 'request.idTokenHint', limits });
}

/**
 * Reads the return from the provider. It never throws: a person who signs out must not see an error page. Damaged kept data
 * counts as a different state.
 */
export async function readLogoutReturn(request: IncomingRequest, pending: unknown, maxBytes: number): Promise<SignOutReturn> {
  const state = await returnedState(request, maxBytes);
  if (state === undefined) return { state: 'absent', returnTo: undefined };
  if (pendingShape(pending, 'pending') !== undefined) return { state: 'different', returnTo: undefined };
  const kept = pending as PendingSignOut;
  if (!isSameText(state, kept.state)) return { state: 'different', returnTo: undefined };
  return { state: 'matched', returnTo: kept.returnTo ?? undefined };
}

async function returnedState(request: IncomingRequest, maxBytes: number): Promise<string | undefined> {
  try {
    const rules = {
      subject: 'logout_return',
      methods: ['GET'],
      maxBytes,
      malformed: 'OIDC_LOGOUT_REQUEST',
      duplicate: 'OIDC_LOGOUT_REQUEST',
    } as const;
    return (await readIncoming(request, rules)).parameters.get('state');
  } catch {
    return undefined;
  }
}
