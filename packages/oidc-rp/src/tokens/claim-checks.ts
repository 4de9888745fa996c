import { OidcError, type OidcErrorCode } from '../errors.ts';
import type { IssuerRule } from '../issuer/issuer-rule.ts';
import type { JsonObject } from '../values/json.ts';

/** A token's claims, with what every check needs. */
export interface ClaimContext {
  /** Names the token in errors. */
  subject: string;
  claims: JsonObject;
  /** Seconds since 1970. */
  now: number;
  /** How many seconds the clocks may differ. */
  toleranceSeconds: number;
}

const maxSubjectLength = 255;

/** `iss` is the expected issuer, character by character (CVE-2025-30144: an array is not an issuer). */
export function checkIssuer(context: ClaimContext, rule: IssuerRule): void {
  const { iss, tid } = context.claims;
  if (typeof iss !== 'string' || !rule.accepts(iss, tid))
    throw refusal(context, 'OIDC_CLAIM_ISS', 'iss', rule.documentIssuer, iss);
}

/** `sub` is 1 to 255 printable ASCII characters (OpenID Connect Core §2). */
export function checkSubject(context: ClaimContext): string {
  const { sub } = context.claims;
  if (typeof sub !== 'string' || sub.length > maxSubjectLength || !/^[\x20-\x7e]+$/.test(sub)) {
    throw refusal(
      context,
      'OIDC_CLAIM_SUB',
      'sub',
      `1 to ${maxSubjectLength} ASCII characters`,
      typeof sub === 'string' ? `${sub.length} characters` : sub,
    );
  }
  return sub;
}

/** `aud` includes this client. `azp`, if present, is this client; it must be present when `aud` names several (Core §3.1.3.7). */
export function checkAudience(context: ClaimContext, clientId: string): void {
  const { aud, azp } = context.claims;
  if (aud === clientId && azp === undefined) return;
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(clientId) || !audiences.every(audience => typeof audience === 'string')) {
    throw refusal(context, 'OIDC_CLAIM_AUD', 'aud', clientId, aud);
  }
  const azpMissing = azp === undefined && new Set(audiences).size > 1;
  if (azpMissing || (azp !== undefined && azp !== clientId)) throw refusal(context, 'OIDC_CLAIM_AZP', 'azp', clientId, azp);
}

/** `exp` is in the future: a token is expired from the very second of `exp` (RFC 7519 §4.1.4). */
export function checkExpiry(context: ClaimContext): number {
  const exp = requireTime(context, 'exp', 'OIDC_CLAIM_EXP');
  if (context.now >= exp + context.toleranceSeconds)
    throw refusal(context, 'OIDC_TOKEN_EXPIRED', 'exp', `later than ${context.now}`, exp);
  return exp;
}

/** `iat` is present, not in the future and, when an age is given, not too long ago. */
export function checkIssuedAt(context: ClaimContext, maxAgeSeconds?: number): number {
  const iat = requireTime(context, 'iat', 'OIDC_CLAIM_IAT');
  if (iat > context.now + context.toleranceSeconds)
    throw refusal(context, 'OIDC_CLAIM_IAT', 'iat', `not after ${context.now}`, iat);
  if (maxAgeSeconds !== undefined && iat + maxAgeSeconds + context.toleranceSeconds < context.now) {
    throw refusal(context, 'OIDC_CLAIM_IAT', 'iat', `at most ${maxAgeSeconds} s ago`, iat);
  }
  return iat;
}

/** `nbf`, if present, has passed. */
export function checkNotBefore(context: ClaimContext): void {
  if (context.claims.nbf === undefined) return;
  const nbf = requireTime(context, 'nbf', 'OIDC_CLAIM_NBF');
  if (nbf > context.now + context.toleranceSeconds)
    throw refusal(context, 'OIDC_CLAIM_NBF', 'nbf', `not after ${context.now}`, nbf);
}

/**
 * The person authenticated recently enough, if a `max_age` was requested (Core §3.1.2.1, §3.1.3.7). Measured from the start of
 * the sign-in: that is when the provider checked the age, and people take their time.
 */
export function checkAuthTime(context: ClaimContext, maxAgeSeconds: number | undefined, startedAt: number = context.now): void {
  if (maxAgeSeconds === undefined && context.claims.auth_time === undefined) return;
  const time = requireTime(context, 'auth_time', 'OIDC_CLAIM_AUTH_TIME');
  const { now, toleranceSeconds } = context;
  if (time > now + toleranceSeconds) throw refusal(context, 'OIDC_CLAIM_AUTH_TIME', 'auth_time', `not after ${now}`, time);
  if (maxAgeSeconds !== undefined && Math.floor(startedAt) > time + maxAgeSeconds + toleranceSeconds) {
    throw refusal(context, 'OIDC_CLAIM_AUTH_TIME', 'auth_time', `at most ${maxAgeSeconds} s ago`, time);
  }
}

/** `acr` is one of the values that this sign-in requires. */
export function checkAcr(context: ClaimContext, required: readonly string[] | undefined): void {
  const { acr } = context.claims;
  if (acr !== undefined && typeof acr !== 'string') throw refusal(context, 'OIDC_CLAIM_ACR', 'acr', 'text', acr);
  if (required !== undefined && (acr === undefined || !required.includes(acr))) {
    throw refusal(context, 'OIDC_CLAIM_ACR', 'acr', required.join(', '), acr);
  }
}

/** An optional claim is text of reasonable length or absent. */
export function readOptionalText(context: ClaimContext, claim: string, code: OidcErrorCode): string | undefined {
  const value = context.claims[claim];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > 1024)
    throw refusal(context, code, claim, '1 to 1024 characters', typeof value);
  return value;
}

/** The error for a claim. */
export function refusal(
  context: ClaimContext,
  code: OidcErrorCode,
  claim: string,
  expected?: unknown,
  received?: unknown,
): OidcError {
  return new OidcError(code, { check: `${context.subject}.${claim}`, expected, received });
}

// `1e400` is Infinity in JavaScript and would never expire; a string would be compared as text.
function requireTime(context: ClaimContext, claim: string, code: OidcErrorCode): number {
  const value = context.claims[claim];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw refusal(context, code, claim, 'seconds since 1970', value);
  return value;
}
