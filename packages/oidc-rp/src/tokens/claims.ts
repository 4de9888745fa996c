import { having, must, requireShape, text } from '../values/shape.ts';

/** A postal address (OpenID Connect Core §5.1.1). */
export interface AddressClaim {
  formatted?: string;
  street_address?: string;
  locality?: string;
  region?: string;
  postal_code?: string;
  country?: string;
}

/**
 * The standard claims about a person (OpenID Connect Core §5.1). The provider signs them, but nobody checks that they are true,
 * or even of the right type: treat each as untrusted text. Unknown claims are kept.
 */
export interface PersonClaims {
  name?: string;
  given_name?: string;
  family_name?: string;
  middle_name?: string;
  nickname?: string;
  preferred_username?: string;
  profile?: string;
  picture?: string;
  website?: string;
  email?: string;
  /** Compare with `=== true`: some providers send text. */
  email_verified?: boolean;
  gender?: string;
  birthdate?: string;
  zoneinfo?: string;
  locale?: string;
  phone_number?: string;
  phone_number_verified?: boolean;
  address?: AddressClaim;
  updated_at?: number;
  [claim: string]: unknown;
}

/** The claims of a validated ID Token. */
export interface IdTokenClaims extends PersonClaims {
  iss: string;
  sub: string;
  aud: string | string[];
  /** Seconds since 1970. */
  exp: number;
  /** Seconds since 1970. */
  iat: number;
  nonce?: string;
  azp?: string;
  /** Seconds since 1970. */
  auth_time?: number;
  acr?: string;
  amr?: string[];
  /** The session at the provider; logout messages name it. */
  sid?: string;
}

/**
 * A person's identity: issuer and subject, and nothing else. An email address can change hands, and `sub` is unique only within
 * one provider.
 */
export interface Identity {
  issuer: string;
  subject: string;
}

const identityShape = having<Identity>({ issuer: must(text()), subject: must(text()) });

/** The part of validated claims that says whose they are. */
export const ownerShape = having<Pick<IdTokenClaims, 'iss' | 'sub'>>({ iss: must(text()), sub: must(text()) });

/**
 * One text per identity, for use as a key of a map or a table. Different identities never give the same text.
 *
 * @example
 * ```ts
 * const account = await accounts.find(identityKey(signIn.identity));
 * ```
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: issuer or subject is missing. All such identities would share one key.
 */
export function identityKey(identity: Identity): string {
  requireShape(identity, 'identity', identityShape);
  return JSON.stringify([identity.issuer, identity.subject]);
}
