import type { JWTPayload } from 'jose';
import type { Identity } from '../model/identity.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';
import { type OidcDoor, oidcIdentity } from '../sign-in/oidc.ts';

/** An access token that counts. */
export interface AcceptedToken {
  readonly identity: Identity;
  /** Milliseconds since 1970, by the token's own `exp`; undefined: the provider names no end. */
  readonly expiresAt: number | undefined;
  /** What the provider's clock may differ by. */
  readonly toleranceMs: number;
  /** Set where the provider was asked about it. */
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
 * RFC 7800: whoever presents it must prove that they hold a key (DPoP, RFC 9449) or a certificate (RFC 8705). The gate sees neither, and a thief of
 * the token has neither.
 */
export function isBound({ cnf, token_type }: JWTPayload): boolean {
  return cnf !== undefined || (typeof token_type === 'string' && token_type.toLowerCase() === 'dpop');
}
