import { createHash } from 'node:crypto';
import type { BridgeConfig } from '../config/config.ts';
import { meets } from '../model/decide.ts';
import type { Identity } from '../model/identity.ts';
import type { Allow } from '../model/rule.ts';

/** A live session of the gate, as the bridge needs to know it. */
export interface BridgeSession {
  /** Identifies the session; it is not a credential. */
  readonly key: string;
  readonly identity: Identity;
  /** Identifies the person at their provider. */
  readonly subjectKey: string;
  /** When the person proved who they are, as far as the provider says. */
  readonly authenticatedAt: Date;
  readonly expiresAt: Date;
}

/**
 * The `sub` that applications see: one for each person of each provider, since two providers may use the same name for two
 * people. It reveals nothing about the person.
 */
export function accountOf({ identity, subjectKey }: BridgeSession): string {
  return createHash('sha256')
    .update(JSON.stringify([identity.issuer, subjectKey]))
    .digest('base64url');
}

/** The claims that applications learn about the person, depending on the scopes they ask for. */
export function claimsOf(account: string, identity: Identity, settings: BridgeConfig): Record<string, unknown> {
  const { email } = identity;
  return {
    sub: account,
    provider: identity.provider,
    ...(identity.name === undefined ? {} : { name: identity.name }),
    ...(email === undefined ? {} : { email: email.address, email_verified: identity.isEmailTrusted }),
    groups: identity.groups,
    ...Object.fromEntries(
      settings.claims.flatMap(({ name, from, isList }): [string, unknown][] => {
        const values = Object.hasOwn(identity.claims, from) ? (identity.claims[from] ?? []) : [];
        if (isList) return [[name, values]];
        return values[0] === undefined ? [] : [[name, values[0]]];
      }),
    ),
  };
}

/** Claim names by scope, for oidc-provider. */
export function claimNames(settings: BridgeConfig): Record<string, string[]> {
  return {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name', 'provider', ...settings.claims.map(claim => claim.name)],
    groups: ['groups'],
  };
}

export function mayUse(allow: Allow, identity: Identity): boolean {
  if (allow.kind !== 'people') return allow.kind === 'signed-in';
  return allow.any.some(demand => meets(identity, demand));
}
