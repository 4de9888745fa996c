import type { Configuration } from './configuration.ts';
import { randomText } from './environment.ts';
import { type IncomingRequest, readIncoming } from './incoming-request.ts';
import { readReturnPath } from './return-path.ts';
import { isSameText } from './same-text.ts';

/** What a sign-out asks of the provider. */
export interface SignOutRequest {
  /** The ID Token of the session, so that the provider need not ask the person which one to end. */
  idTokenHint?: string;
  /** Where the person goes afterwards: a path on this site. */
  returnPath?: string;
  /** The provider's own parameters. */
  logoutHint?: string;
}

/** A sign-out under way. Keep it like a pending sign-in. */
export interface PendingSignOut {
  state: string;
  returnPath?: string;
}

/** What came back from the provider. Whatever it says, the session here is already over. */
export interface SignOutReturn {
  /** Whether the return belongs to the sign-out that this browser started. */
  state: 'matched' | 'different' | 'absent';
  /** The path given at the start, and only when the state matched: never an address out of the request. */
  returnPath: string | undefined;
}

/**
 * Makes the address that ends the session at the provider (OpenID Connect RP-Initiated Logout §2). End your own session
 * first: the person may never come back.
 */
export function createLogoutRequest(
  configuration: Configuration,
  endpoint: URL,
  request: SignOutRequest = {},
): { url: URL; pending: PendingSignOut } {
  const state = randomText(configuration.environment);
  const url = new URL(endpoint);
  url.searchParams.set('client_id', configuration.clientId);
  if (request.idTokenHint !== undefined) url.searchParams.set('id_token_hint', request.idTokenHint);
  if (request.logoutHint !== undefined) url.searchParams.set('logout_hint', request.logoutHint);
  if (configuration.postLogoutRedirectUri !== undefined) {
    url.searchParams.set('post_logout_redirect_uri', configuration.postLogoutRedirectUri);
    url.searchParams.set('state', state);
  }
  return {
    url,
    pending: { state, ...(request.returnPath === undefined ? {} : { returnPath: readReturnPath(request.returnPath) }) },
  };
}

/** Reads the return from the provider. It never throws: a person who signs out must not meet an error page. */
export async function readLogoutReturn(
  request: IncomingRequest,
  pending: PendingSignOut | undefined,
  maxBytes: number,
): Promise<SignOutReturn> {
  const state = await returnedState(request, maxBytes);
  if (state === undefined) return { state: 'absent', returnPath: undefined };
  if (pending === undefined || !isSameText(state, pending.state)) return { state: 'different', returnPath: undefined };
  return { state: 'matched', returnPath: pending.returnPath };
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
