import type { HelpReason } from '../model/help-address.ts';
import type { Identity } from '../model/identity.ts';

/** A request to one of a provider's addresses, as it was received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** The next step of the browser. */
export type Send =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'post'; readonly url: string; readonly fields: Readonly<Record<string, string>> };

export interface Started {
  readonly send: Send;
  /** Comes back with the answer and identifies what was kept. */
  readonly handle: string;
  /** JSON that belongs to the package. */
  readonly pending: unknown;
}

export interface StartOptions {
  readonly loginHint?: string;
  /** The provider must ask the person again, even if they are signed in there. */
  readonly fresh?: boolean;
  /** The person wants another account than the one that the provider would choose. Nothing depends on what it asks them. */
  readonly another?: boolean;
}

/** The person who signed in, and what their session needs. */
export interface SignedIn {
  readonly identity: Identity;
  /** Identifies the person in the store: the subject, and whatever makes it unique. */
  readonly subjectKey: string;
  readonly providerSession: string | undefined;
  readonly signedInAt: Date;
  /**
   * When the person proved who they are, 1970 if the provider does not say. An application behind the bridge may limit how long ago that
   * is.
   */
  readonly authenticatedAt: Date;
  /** The provider ends the session at this time at the latest. */
  readonly endsAt: Date | undefined;
  /** When to ask the provider again; undefined when that is not possible. */
  readonly refreshAt: number | undefined;
  /** The data that refresh and sign-out need: JSON, including tokens; it is sealed before it is stored. */
  readonly record: unknown;
}

/** A sign-in that failed once the provider had issued tokens. Nobody else knows of them. */
export class UnfinishedSignIn extends Error {
  readonly signedIn: SignedIn;

  constructor(signedIn: SignedIn, cause: unknown) {
    super('the sign-in failed after tokens were issued', { cause });
    this.signedIn = signedIn;
  }
}

/** The parts of a session that a renewal changes. */
export type Renewal = Pick<SignedIn, 'identity' | 'record' | 'refreshAt'>;

/** The sessions that a provider's message ends. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly subjectKey: string | undefined;
  readonly providerSessions: readonly string[] | undefined;
  readonly at: Date;
  /** The message is not signed, so anyone can send any number of them. */
  readonly isUnproven?: boolean;
}

/** The abilities of both kinds of provider. Each protocol is implemented in one file, the only one that imports its package. */
export interface Door {
  readonly id: string;
  readonly name: string;
  readonly protocol: 'oidc' | 'saml';
  /** The parameter that carries the handle: `state`, `RelayState`. */
  readonly handleParameter: string;
  /** Whether sessions of this issuer's people may continue. An outage is no reason to end them. */
  vouchesFor(issuer: string): boolean;
  startSignIn(options: StartOptions): Promise<Started>;
  /** @throws {@link UnfinishedSignIn}, or whatever the package throws */
  finishSignIn(received: Received, pending: unknown): Promise<SignedIn>;
  /** The provider's help page for people who could not come in, if it has one. */
  helpUrl?(reason: HelpReason): string | undefined;
  /** How long after an answer the provider is asked again at the latest; missing where only the provider knows. */
  readonly refreshEveryMs?: number;
  /** Asks the provider again; missing where that is not possible. Throws errors that `isSessionOver` understands. */
  refresh?(record: unknown, before: Identity): Promise<Renewal>;
  /** As little of a session's record as `revoke` needs; undefined if there is nothing to revoke. */
  toRevoke?(record: unknown): unknown;
  /**
   * Revokes a session's tokens at the provider; missing where that is not possible.
   * @returns whether there was a token that the provider can revoke
   */
  revoke?(record: unknown): Promise<boolean>;
  /** @returns undefined when the provider offers no sign-out */
  startSignOut(record: unknown): Promise<Started | undefined>;
  close(): void;
}

/** Why a sign-in failed, in the gate's words. */
export interface Failure {
  readonly kind: 'outage' | 'refused-by-provider' | 'stale' | 'not-accepted' | 'fault';
  /** The package's stable code. */
  readonly code: string;
  /** For an outage: when to try again, where known. */
  readonly retryAfterSeconds?: number | undefined;
}
