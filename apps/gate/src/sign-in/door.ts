import type { HelpReason } from '../model/help-address.ts';
import type { Identity } from '../model/identity.ts';

/** A request to one of a provider's addresses, as it was received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** What the browser is to do next. */
export type Send =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'post'; readonly url: string; readonly fields: Readonly<Record<string, string>> };

export interface Started {
  readonly send: Send;
  /** Comes back with the answer and names what was kept. */
  readonly handle: string;
  /** JSON, the package's own. */
  readonly pending: unknown;
}

export interface StartOptions {
  readonly loginHint?: string;
  /** The provider is to ask the person again, whoever is signed in there. */
  readonly fresh?: boolean;
}

/** Who came through, and what their session needs. */
export interface SignedIn {
  readonly identity: Identity;
  /** The person in the store: a subject with whatever makes it unique. */
  readonly subjectKey: string;
  readonly providerSession: string | undefined;
  readonly signedInAt: Date;
  /** When the person proved who they are, 1970 where the provider does not say: an application behind the bridge may ask how long ago that is. */
  readonly authenticatedAt: Date;
  /** The provider ends the session by then. */
  readonly endsAt: Date | undefined;
  /** When to ask the provider again; undefined when that cannot be done. */
  readonly refreshAt: number | undefined;
  /** What refresh and sign-out need: JSON, with tokens; it is sealed before it is stored. */
  readonly record: unknown;
}

/** What asking again changes of a session. */
export type Renewal = Pick<SignedIn, 'identity' | 'record' | 'refreshAt'>;

/** Whose sessions a message of the provider ends. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly subjectKey: string | undefined;
  readonly providerSessions: readonly string[] | undefined;
  readonly at: Date;
  /** Nobody signed the message: anybody can send any number. */
  readonly isUnproven?: boolean;
}

/** What both kinds of provider can do. The one file per protocol that implements it is the only one that knows its package. */
export interface Door {
  readonly id: string;
  readonly name: string;
  readonly protocol: 'oidc' | 'saml';
  /** The parameter that names what was kept: `state`, `RelayState`. */
  readonly handleParameter: string;
  /** Whether sessions of this issuer's people may go on. An outage is no reason to end them. */
  vouchesFor(issuer: string): boolean;
  startSignIn(options: StartOptions): Promise<Started>;
  finishSignIn(received: Received, pending: unknown): Promise<SignedIn>;
  /** Where the provider helps people who could not come in, where it has such a page. */
  helpUrl?(reason: HelpReason): string | undefined;
  /** Asks the provider again; a door that cannot has none. Throws what `isSessionOver` reads. */
  refresh?(record: unknown, before: Identity): Promise<Renewal>;
  /** Undefined: the provider offers no sign-out. */
  startSignOut(record: unknown): Promise<Started | undefined>;
  close(): void;
}

/** Why a sign-in failed, in the gate's words. */
export interface Failure {
  readonly kind: 'outage' | 'refused-by-provider' | 'stale' | 'not-accepted' | 'fault';
  /** The package's stable code. */
  readonly code: string;
  /** Of an outage: when it is of use to ask again, where that is known. */
  readonly retryAfterSeconds?: number | undefined;
}
