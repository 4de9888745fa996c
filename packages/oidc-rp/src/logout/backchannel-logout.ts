import type { Configuration } from '../client/configuration.ts';
import { claimOnce, replayKey } from '../client/replay.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { type IncomingRequest, readIncoming } from '../http/incoming-request.ts';
import { decryptNestedJwt } from '../keys/jwe.ts';
import type { KeySource } from '../keys/jwks.ts';
import { readCompactJws, verifyJws } from '../keys/jws.ts';
import {
  type ClaimContext,
  checkAudience,
  checkExpiry,
  checkIssuedAt,
  checkIssuer,
  checkNotBefore,
  checkSubject,
  readOptionalText,
  refusal,
} from '../tokens/claim-checks.ts';
import { isJsonObject } from '../values/json.ts';

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** The sessions that a logout token ends: with a `sid`, that session; without one, all sessions of the subject at this issuer. */
export interface BackChannelLogout {
  issuer: string;
  subject: string | undefined;
  sid: string | undefined;
  /** When the provider issued the token, in seconds since 1970. */
  issuedAt: number;
  /** The `jti` of the token. */
  tokenId: string;
}

/**
 * Validates a logout request from the provider's server (OpenID Connect Back-Channel Logout §2.6). The token is a JWT like an ID
 * Token, and neither may be mistaken for the other: type, events and the forbidden nonce prevent that.
 *
 * @throws {@link OidcError} one code per check. End no session; answer 405 for a method other than POST, 503 when that is the
 * error's status, and 400 otherwise
 */
export async function readBackChannelLogout(
  configuration: Configuration,
  keys: KeySource,
  request: IncomingRequest,
): Promise<BackChannelLogout> {
  const token = await readLogoutToken(configuration, request);
  const rules = {
    subject: 'logout_token',
    algorithms: configuration.idTokenAlgorithms,
    // Errata and RFC 8725 recommend the explicit type; §2.6 requires accepting a token without it, and many providers write
    // `JWT`. An ID Token fails nevertheless: it lacks the events, and carries the nonce that a logout token must not have.
    types: ['logout+jwt', 'jwt'],
    limits: configuration.limits,
  };
  const { payload } = await verifyJws(readCompactJws(await decrypted(token, configuration), rules), keys, rules);
  const context = {
    subject: 'logout_token',
    claims: payload,
    now: nowSeconds(configuration.environment),
    toleranceSeconds: configuration.clockToleranceSeconds,
  };
  const logout = checkClaims(context, configuration);
  const expiresAt = checkExpiry(context);
  const key = await replayKey('logout', configuration.issuer, logout.tokenId);
  const until = expiresAt + configuration.clockToleranceSeconds;
  if (!(await claimOnce(configuration.replayStore, key, until, 'logout_token.jti')))
    throw new OidcError('OIDC_LOGOUT_REPLAY', { check: 'logout_token.jti' });
  return logout;
}

/**
 * Answers a back-channel logout request: 200 when the sessions have ended (or there were none), 400 when the token is not
 * acceptable, 405 for a method other than POST, 500 when ending failed and the provider may try again, 503 when the token cannot
 * be checked now, with `Retry-After` in seconds where that is known.
 *
 * @param endSessions ends the sessions that the logout names; it may be called when there are none
 */
export async function answerBackChannelLogout(
  configuration: Configuration,
  keys: KeySource,
  request: IncomingRequest,
  endSessions: (logout: BackChannelLogout) => Promise<void> | void,
): Promise<Response> {
  let logout: BackChannelLogout;
  try {
    logout = await readBackChannelLogout(configuration, keys, request);
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    // Unavailable does not mean refused: the provider may try again.
    if (error.status === 503) return unavailable(error);
    const refused = { error: 'invalid_request', error_description: error.code };
    return error.status === 405 ? answer(405, refused, { allow: 'POST' }) : answer(400, refused);
  }
  try {
    await endSessions(logout);
    return answer(200);
  } catch {
    await giveBack(configuration, logout);
    return answer(500, { error: 'server_error' });
  }
}

// If the store fails here too, the answer must not turn into an exception.
async function giveBack({ replayStore, issuer }: Configuration, logout: BackChannelLogout): Promise<void> {
  try {
    await replayStore.release(await replayKey('logout', issuer, logout.tokenId));
  } catch {
    // The claim expires by itself.
  }
}

// Back-Channel Logout §2.4: logout tokens are encrypted with the same keys as ID Tokens, if at all.
async function decrypted(token: string, { idTokenDecryption, limits }: Configuration): Promise<string> {
  const isEncrypted = token.split('.', 6).length === 5;
  if (idTokenDecryption === undefined || !isEncrypted) return token;
  return decryptNestedJwt(token, idTokenDecryption, { subject: 'logout_token', limits });
}

async function readLogoutToken(configuration: Configuration, request: IncomingRequest): Promise<string> {
  const malformed = 'OIDC_LOGOUT_REQUEST';
  const rules = {
    subject: 'backchannel_logout',
    methods: ['POST'],
    maxBytes: configuration.limits.maxRequestBytes,
    malformed,
    duplicate: malformed,
  } as const;
  const token = (await readIncoming(request, rules)).parameters.get('logout_token');
  if (token === undefined)
    throw new OidcError(malformed, { check: 'backchannel_logout.logout_token', expected: 'a logout token' });
  return token;
}

function checkClaims(context: ClaimContext, configuration: Configuration): BackChannelLogout {
  checkIssuer(context, configuration.issuerRule);
  checkAudience(context, configuration.clientId);
  const issuedAt = checkIssuedAt(context, configuration.limits.logoutTokenMaxAgeSeconds);
  checkNotBefore(context);
  checkEvents(context);
  if (context.claims.nonce !== undefined) throw refusal(context, 'OIDC_CLAIM_NONCE', 'nonce', 'none in a logout token');
  const jti = readOptionalText(context, 'jti', 'OIDC_CLAIM_JTI');
  if (jti === undefined) throw refusal(context, 'OIDC_CLAIM_JTI', 'jti', 'text');
  return { issuer: String(context.claims.iss), ...readWhom(context, configuration), issuedAt, tokenId: jti };
}

function readWhom(context: ClaimContext, configuration: Configuration): { subject: string | undefined; sid: string | undefined } {
  const sid = readOptionalText(context, 'sid', 'OIDC_CLAIM_SID');
  const subject = context.claims.sub === undefined ? undefined : checkSubject(context);
  if (sid === undefined && (subject === undefined || configuration.backChannelLogoutSessionRequired)) {
    throw refusal(context, 'OIDC_CLAIM_SID', 'sid', configuration.backChannelLogoutSessionRequired ? 'a sid' : 'a sub or a sid');
  }
  return { subject, sid };
}

function checkEvents(context: ClaimContext): void {
  const { events } = context.claims;
  if (!isJsonObject(events) || !Object.hasOwn(events, logoutEvent) || !isJsonObject(events[logoutEvent])) {
    throw refusal(context, 'OIDC_CLAIM_EVENTS', 'events', logoutEvent);
  }
}

function unavailable({ code, retryAfterSeconds }: OidcError): Response {
  const again = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return answer(503, { error: 'temporarily_unavailable', error_description: code }, again);
}

function answer(status: number, body?: Record<string, string>, more: Record<string, string> = {}): Response {
  const headers = { 'cache-control': 'no-store', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...more };
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}
