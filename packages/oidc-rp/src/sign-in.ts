import type { Identity, IdTokenClaims } from './claims.ts';
import { OidcError } from './errors.ts';
import { type IdTokenExpectations, type IdTokenRules, validateIdToken } from './id-token.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import type { TokenSet } from './token-request.ts';

/** A finished sign-in. */
export interface SignIn {
  /** Who signed in: key your accounts by this pair, never by the e-mail address. */
  identity: Identity;
  /** The validated claims of the ID Token. */
  claims: IdTokenClaims;
  tokens: TokenSet & { idToken: string };
  /** Where the person wanted to go, as given to the start of the sign-in. */
  returnPath: string | undefined;
}

/** Makes a sign-in of a token response: there is an ID Token, and it is the answer to this very request. */
export async function completeSignIn(
  tokens: TokenSet,
  code: string,
  pending: PendingSignIn,
  rules: IdTokenRules,
  now: number,
): Promise<SignIn> {
  const { idToken } = tokens;
  if (idToken === undefined) throw new OidcError('OIDC_ID_TOKEN_MISSING', { check: 'token.id_token' });
  const expectations: IdTokenExpectations = {
    nonce: { value: pending.nonce, when: 'always' },
    maxAgeSeconds: pending.maxAgeSeconds,
    acrValues: pending.acrValues,
    accessToken: tokens.accessToken,
    code,
    now,
  };
  const claims = await validateIdToken(idToken, rules, expectations);
  return { identity: identityOf(claims), claims, tokens: { ...tokens, idToken }, returnPath: pending.returnPath };
}

/** The identity that validated claims speak of. */
export function identityOf(claims: IdTokenClaims): Identity {
  return { issuer: claims.iss, subject: claims.sub };
}
