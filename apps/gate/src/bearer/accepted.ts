import type { JWTPayload } from 'jose';
import type { Identity } from '../model/identity.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';
import { type OidcDoor, oidcIdentity } from '../sign-in/oidc.ts';

/** An accepted access token. */
export interface AcceptedToken {
  readonly identity: Identity;
  /** Milliseconds since 1970, from the token's `exp`; undefined when the provider set no expiry. */
  readonly expiresAt: number | undefined;
  /** How much the provider's clock may differ from ours. */
  readonly toleranceMs: number;
  /** Set when the provider was asked about the token. */
  readonly opaque?: OpaqueToken | undefined;
}

export function acceptedToken(door: OidcDoor, claims: JWTPayload): AcceptedToken {
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ').filter(word => word !== '') : [];
  const identity = oidcIdentity(door.config, { issuer: door.issuer, subject: claims.sub as string }, claims);
  return {
    identity: { ...identity, scopes },
    expiresAt: claims.exp === undefined ? undefined : claims.exp * 1000,
    toleranceMs: door.config.clockToleranceSeconds * 1000,
  };
}

/**
 * A bound token (RFC 7800): its bearer must prove that they hold a key (DPoP, RFC 9449) or a certificate (RFC 8705). The gate
 * cannot check that proof, so a thief of the token could use it here without one.
 */
export function isBound({ cnf, token_type }: JWTPayload): boolean {
  return cnf !== undefined || (typeof token_type === 'string' && token_type.toLowerCase() === 'dpop');
}
