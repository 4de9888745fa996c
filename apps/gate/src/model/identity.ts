import type { Email } from './email.ts';

/** Who is asking, as one provider vouches for it. A person is identified by issuer and subject, never by email address. */
export interface Identity {
  /** The provider's id in our configuration. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** Undefined when there is none, or none that can be read in only one way. */
  readonly email: Email | undefined;
  /** Whether the provider vouches for the address: it is verified, or the provider is trusted for its domain. */
  readonly isEmailTrusted: boolean;
  /** Whether the provider itself calls the address verified; undefined if that was not kept. */
  readonly isEmailVerified?: boolean;
  readonly name: string | undefined;
  readonly groups: readonly string[];
  /** Claims or attributes as lists of text, limited to those that rules may ask for. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
  /** Scopes of an access token; undefined for a person who signed in. */
  readonly scopes?: readonly string[];
}

/** The same person under the current configuration, which may trust a domain that it did not before, or no longer. */
export function withTrust(identity: Identity, trustedDomains: readonly string[]): Identity {
  const { email, isEmailVerified } = identity;
  if (email === undefined || isEmailVerified === undefined) return identity;
  const isEmailTrusted = isEmailVerified || trustedDomains.includes(email.domain);
  return isEmailTrusted === identity.isEmailTrusted ? identity : { ...identity, isEmailTrusted };
}
