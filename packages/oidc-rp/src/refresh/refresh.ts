import type { Configuration } from '../client/configuration.ts';
import { readResource } from '../client/resource.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { type IdTokenRules, validateIdToken } from '../tokens/id-token.ts';
import { type Parameters, requestTokens, type TokenSet } from '../tokens/token-request.ts';
import { type Refreshable, requireRefreshable } from './refreshable.ts';

/** The options of one refresh. */
export interface RefreshRequest {
  /** A subset of the granted scopes (RFC 6749 §6). Default: all granted ones. */
  scopes?: readonly string[] | undefined;
  /** The APIs that the new access token is for (RFC 8707). */
  resource?: string | readonly string[] | undefined;
  /** Provider-specific parameters. */
  tokenParameters?: Readonly<Record<string, string>> | undefined;
}

/** Makes one request with the refresh token. */
export function requestRefresh(
  configuration: Configuration,
  tokenEndpoint: URL,
  refreshToken: string,
  request: RefreshRequest,
): Promise<TokenSet> {
  const parameters: Parameters = [
    ...Object.entries(request.tokenParameters ?? {}),
    ['grant_type', 'refresh_token'],
    ['refresh_token', refreshToken],
    ...(request.scopes === undefined ? [] : [['scope', request.scopes.join(' ')] as [string, string]]),
    ...readResource(request.resource).pairs,
  ];
  return requestTokens(configuration, tokenEndpoint, parameters).catch(asRefusal);
}

/** The refresh token of a sign-in. */
export function requireRefreshToken(signIn: Refreshable): string {
  requireRefreshable(signIn);
  const { refreshToken } = signIn.tokens;
  if (refreshToken === undefined)
    throw new OidcError('OIDC_REFRESH_REFUSED', { check: 'refresh_token', expected: 'a refresh token', received: 'none' });
  return refreshToken;
}

/**
 * Merges new tokens into the sign-in that they renew. A new ID Token must be about the same sign-in (OpenID Connect Core §12.2);
 * without one, the old claims stay. What the first token said about the sign-in (nonce, time, session) stays too, since a later
 * token need not repeat it: otherwise the second refresh would have nothing left to compare with.
 */
export async function renewed<T extends Refreshable>(
  configuration: Configuration,
  rules: IdTokenRules,
  signIn: T,
  answer: TokenSet,
  asked: readonly string[] = [],
): Promise<T> {
  const { expiresAt: _ended, scopes: _former, narrowed: _fewer, ...before } = signIn.tokens;
  const fresh = { ...answer, ...scopesOf(signIn.tokens, answer, asked) };
  if (fresh.idToken === undefined) return { ...signIn, claims: structuredClone(signIn.claims), tokens: { ...before, ...fresh } };
  const { nonce } = signIn.claims;
  const { claims, signed } = await validateIdToken(fresh.idToken, rules, {
    nonce: nonce === undefined ? undefined : { value: nonce, when: 'if-present' },
    accessToken: fresh.accessToken,
    now: nowSeconds(configuration.environment),
  });
  const changed = changedClaim(signIn.claims, claims);
  if (changed !== undefined)
    throw new OidcError('OIDC_REFRESH_IDENTITY', { check: `id_token.${changed}`, expected: 'the same value as at sign-in' });
  // A provider that does not rotate sends no new refresh token: the old one is kept.
  return {
    ...signIn,
    claims: { ...ofTheSignIn(signIn.claims), ...claims },
    tokens: { ...before, ...fresh, idToken: fresh.idToken, signedIdToken: signed },
  };
}

/**
 * The scopes of the new access token. If the answer names none, it has those that were asked for (RFC 6749 §5.1). If none were
 * asked for, that means all that the sign-in was granted (§6), even if the former access token had fewer.
 */
function scopesOf(
  { scopes: former, narrowed }: Refreshable['tokens'],
  answer: TokenSet,
  asked: readonly string[],
): Pick<Refreshable['tokens'], 'scopes' | 'narrowed'> {
  const granted = narrowed === undefined ? former : narrowed.from;
  if (asked.length > 0) return { scopes: answer.scopes ?? asked, narrowed: granted === undefined ? {} : { from: granted } };
  const scopes = answer.scopes ?? granted;
  return scopes === undefined ? {} : { scopes };
}

function ofTheSignIn({ nonce, auth_time, sid }: SignIn['claims']): Partial<SignIn['claims']> {
  return {
    ...(nonce === undefined ? {} : { nonce }),
    ...(auth_time === undefined ? {} : { auth_time }),
    ...(sid === undefined ? {} : { sid }),
  };
}

function changedClaim(before: SignIn['claims'], after: SignIn['claims']): string | undefined {
  if (after.iss !== before.iss) return 'iss';
  if (after.sub !== before.sub) return 'sub';
  if (!sameAudience(before.aud, after.aud)) return 'aud';
  if (after.azp !== before.azp && after.azp !== undefined) return 'azp';
  // Another authentication time or session means another sign-in, whose checks this one never passed.
  return (['auth_time', 'sid'] as const).find(
    claim => before[claim] !== undefined && after[claim] !== undefined && after[claim] !== before[claim],
  );
}

function sameAudience(before: string | string[], after: string | string[]): boolean {
  const sorted = (audience: string | string[]) => JSON.stringify([audience].flat().sort());
  return sorted(before) === sorted(after);
}

/**
 * Errors by which a provider says that this refresh token will never work again, or that the person must act. Besides the
 * standard's `invalid_grant`, these are the codes of OpenID Connect Core §3.1.2.6, which Entra ID uses here, and codes of
 * providers' own (Salesforce, GitHub).
 */
const endings: ReadonlySet<string> = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
  'inactive_user',
  'inactive_org',
  'bad_refresh_token',
]);

function asRefusal(error: unknown): never {
  if (error instanceof OidcError && error.providerError !== undefined && endings.has(error.providerError)) {
    const { providerError, providerDescription = '' } = error;
    throw new OidcError('OIDC_REFRESH_REFUSED', { check: 'refresh_token', providerError, providerDescription, cause: error });
  }
  throw error;
}
