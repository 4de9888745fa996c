/**
 * A sign-in under way. The caller keeps it where only this browser's next visit finds it (a session, or a store with the
 * RelayState as its key and a cookie that ties it to the browser) and hands it back with the Response. Plain JSON.
 */
export interface PendingSignIn {
  /** ID of the AuthnRequest. */
  requestId: string;
  /** Entity ID of the provider that was asked. */
  identityProvider: string;
  /** Our RelayState: opaque, random. */
  relayState: string;
  /** ISO instants. */
  issuedAt: string;
  expiresAt: string;
  forceAuthn: boolean;
  /** AuthnContext classes of which one was demanded; empty means any. */
  authnContexts: string[];
  /** Where to go afterwards: the caller's own, never sent anywhere. */
  returnTo: string | undefined;
}

/** A logout under way that we began. Plain JSON. */
export interface PendingLogout {
  requestId: string;
  identityProvider: string;
  relayState: string;
  issuedAt: string;
  expiresAt: string;
}
