import { OidcError } from '../errors.ts';
import type { Identity, IdTokenClaims } from '../tokens/claims.ts';
import { type IdTokenExpectations, type IdTokenRules, validateIdToken } from '../tokens/id-token.ts';
import type { TokenSet } from '../tokens/token-request.ts';
import type { PendingSignIn } from './pending-sign-in.ts';

/** The tokens of a finished sign-in. */
export interface SignedInTokens extends TokenSet {
  /** The ID Token as received: never a credential. */
  idToken: string;
  /** The signed ID Token, the inner one if it was encrypted: for `id_token_hint` (RP-Initiated Logout §2). */
  signedIdToken: string;
  /**
   * The refresh asked for these `scopes`; the sign-in was granted others (`from`, if the provider named them), which the next
   * refresh without `scopes` gives again.
   */
  narrowed?: { from?: readonly string[] };
}

/** A finished sign-in. It is JSON; store it as it is. */
export interface SignIn {
  /** The person who signed in: key your accounts by this pair, never by the email address. */
  identity: Identity;
  /** The validated claims of the ID Token. */
  claims: IdTokenClaims;
  tokens: SignedInTokens;
  /** Where the person wanted to go, as given to the start of the sign-in. */
  returnTo: string | undefined;
}

/** The facts that a finished sign-in must match. A device flow has neither nonce nor code. */
export type Started = { code?: string; nonce?: string } & Pick<PendingSignIn, 'startedAt'> &
  Partial<Pick<PendingSignIn, 'maxAgeSeconds' | 'acrValues' | 'returnTo'>>;

/** Creates a sign-in from a token response, which must contain an ID Token that answers this very request. */
export async function completeSignIn(tokens: TokenSet, started: Started, rules: IdTokenRules, now: number): Promise<SignIn> {
  const { idToken } = tokens;
  if (idToken === undefined) throw new OidcError('OIDC_ID_TOKEN_MISSING', { check: 'token.id_token' });
  const expectations: IdTokenExpectations = {
    nonce: started.nonce === undefined ? undefined : { value: started.nonce, when: 'always' },
    maxAgeSeconds: started.maxAgeSeconds ?? undefined,
    startedAt: started.startedAt,
    acrValues: started.acrValues ?? undefined,
    accessToken: tokens.accessToken,
    code: started.code,
    now,
  };
  const { claims, signed } = await validateIdToken(idToken, rules, expectations);
  return {
    identity: identityOf(claims),
    claims,
    tokens: { ...tokens, idToken, signedIdToken: signed },
    returnTo: started.returnTo ?? undefined,
  };
}

/** The identity that validated claims name. */
export function identityOf(claims: IdTokenClaims): Identity {
  return { issuer: claims.iss, subject: claims.sub };
}
