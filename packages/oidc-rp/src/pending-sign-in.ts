/**
 * A sign-in under way: what the relying party must remember while the person is at the provider. It is JSON. Keep it
 * bound to the browser that started (a cookie names it, or holds it sealed), never in the address; take it out on
 * return, before you use it: it is good for one callback.
 */
export interface PendingSignIn {
  /** Which provider was asked: its answers are accepted at its own redirect URI only. */
  issuer: string;
  /** Must come back unchanged. */
  state: string;
  /** Must stand in the ID Token. */
  nonce: string;
  /** The PKCE verifier, for the token request. */
  codeVerifier: string;
  redirectUri: string;
  responseMode: 'query' | 'form_post';
  /** Seconds since 1970. */
  expiresAt: number;
  returnPath?: string;
  maxAgeSeconds?: number;
  acrValues?: readonly string[];
}
