import { type IdTokenClaims, ownerShape } from '../tokens/claims.ts';
import { having, must, requireShape, text } from '../values/shape.ts';

/** The session or person that a logout message names. */
export interface LogoutSubject {
  issuer: string;
  subject?: string | undefined;
  sid?: string | undefined;
}

const logoutShape = having<Pick<LogoutSubject, 'issuer'>>({ issuer: must(text()) });

/**
 * Whether a logout message applies to a session.
 *
 * - `covered`: end it.
 * - `other`: it is about another session, person or provider.
 * - `unknown-sid`: the message names a session of this provider, but the ID Token of this session named none, so they cannot be
 * compared. A provider that sends `sid` in logout messages must also send it in ID Tokens (Front-Channel Logout §3, Back-Channel
 * Logout §2.4). End the session if the request came from this same browser, as a front-channel logout with the session's cookie
 * does.
 *
 * @example
 * ```ts
 * const mine = sessions.filter(session => logoutCoverage(logout, session.claims) === 'covered');
 * ```
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: the issuer of the logout, or issuer or subject of the claims is missing
 */
export function logoutCoverage(
  logout: LogoutSubject,
  claims: Pick<IdTokenClaims, 'iss' | 'sub' | 'sid'>,
): 'covered' | 'other' | 'unknown-sid' {
  requireShape(logout, 'logout', logoutShape);
  requireShape(claims, 'claims', ownerShape);
  if (logout.issuer !== claims.iss) return 'other';
  if (logout.subject !== undefined && logout.subject !== claims.sub) return 'other';
  if (logout.sid === undefined) return logout.subject === undefined ? 'other' : 'covered';
  if (claims.sid === undefined) return 'unknown-sid';
  return logout.sid === claims.sid ? 'covered' : 'other';
}
