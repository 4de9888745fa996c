import { returnToReader } from '../values/return-to.ts';
import { flag, listOf, number, oneOf, optional, type Reader, readShape, shape, text } from '../values/shape.ts';

/**
 * A sign-in under way. Keep it where only this browser's next visit finds it (see `PendingCookies`), and pass it back with the
 * Response. Plain JSON; it is checked when it comes back.
 */
export interface PendingSignIn {
  /** ID of the AuthnRequest. */
  requestId: string;
  /** Entity ID of the provider that was asked. */
  identityProvider: string;
  /** Our RelayState: opaque, random. */
  relayState: string;
  /** The assertion consumer service where the answer was requested. */
  assertionConsumerServiceUrl: string;
  /** Seconds since 1970. */
  startedAt: number;
  /** Seconds since 1970. */
  expiresAt: number;
  forceAuthn: boolean;
  /** The requested AuthnContext classes, one of which is required; empty means any. */
  authnContexts: string[];
  /** How the class that was used must compare with them. */
  authnContextComparison: AuthnContextComparison;
  /** Where to go afterwards: a path on this site, never sent anywhere. */
  returnTo?: string;
}

/** `exact`: one of the requested classes. For the others, the provider defines the order of classes (saml-core-2.0 3.3.2.2.1). */
export type AuthnContextComparison = 'exact' | 'minimum' | 'maximum' | 'better';

/** A sign-out that we started, under way. Plain JSON; it is checked when it comes back. */
export interface PendingSignOut {
  requestId: string;
  identityProvider: string;
  relayState: string;
  /** Seconds since 1970. */
  startedAt: number;
  /** Seconds since 1970. */
  expiresAt: number;
  /** Where to go afterwards: a path on this site. */
  returnTo?: string;
}

/** The last second of the year 9999. */
const latest = 253_402_300_799;
const seconds = number(0, latest);
const id = text('a message ID', value => /^[A-Za-z_][\w.-]{0,199}$/.test(value));
const opaque = text('a string of 1 to 80 characters', value => value !== '' && value.length <= 80);

const common = {
  requestId: id,
  identityProvider: text('an entity ID', value => value !== '' && value.length <= 1024),
  relayState: opaque,
  startedAt: seconds,
  expiresAt: seconds,
  returnTo: optional(returnToReader),
};

const signIn = shape({
  ...common,
  assertionConsumerServiceUrl: text(),
  forceAuthn: flag,
  authnContexts: listOf(text(), 'strings', 20),
  authnContextComparison: oneOf('exact', 'minimum', 'maximum', 'better'),
});
const signOut = shape(common);

/** A lost member would disable its check, so all of them must be present. */
export const readPendingSignIn = (value: unknown): PendingSignIn =>
  readShape(value, 'pending', signIn as Reader<PendingSignIn>, 'SAML_PENDING_INVALID');

export const readPendingSignOut = (value: unknown): PendingSignOut =>
  readShape(value, 'pending', signOut as Reader<PendingSignOut>, 'SAML_PENDING_INVALID');
