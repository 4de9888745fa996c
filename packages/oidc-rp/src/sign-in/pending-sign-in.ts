import type { ResponseMode } from '../client/options.ts';
import { OidcError } from '../errors.ts';
import {
  dictionaryOf,
  listOf,
  members,
  must,
  nullOr,
  numberIn,
  oneOf,
  requireShape,
  text,
  wholeNumber,
} from '../values/shape.ts';

/**
 * A sign-in under way: what the relying party must remember while the person is at the provider. It is JSON, and every member is
 * always present, `null` if it has no value, so that a store that loses one is noticed. Keep it bound to the browser that started
 * the sign-in ({@link PendingCookies} does), never in the URL; remove it on return: it is good for one callback.
 */
export interface PendingSignIn {
  /** The provider that was asked: its answers are accepted only at its own redirect URI. */
  issuer: string;
  /** Must come back unchanged. */
  state: string;
  /** Must be in the ID Token. */
  nonce: string;
  /** The PKCE verifier, for the token request. */
  codeVerifier: string;
  redirectUri: string;
  responseMode: ResponseMode;
  /** Seconds since 1970. */
  startedAt: number;
  /** Seconds since 1970. */
  expiresAt: number;
  /** Where the person goes afterwards. */
  returnTo: string | null;
  /** The requested value; checked on return. */
  maxAgeSeconds: number | null;
  /** At least one of these must be reached; checked on return. */
  acrValues: readonly string[] | null;
  /** The resources (RFC 8707), which the token request names too. */
  resource: readonly string[] | null;
  /** Provider-specific parameters for the token request. */
  tokenParameters: Readonly<Record<string, string>> | null;
}

const random = text(128);

const shape = members<PendingSignIn>({
  issuer: must(text()),
  state: must(random),
  nonce: must(random),
  codeVerifier: must(random),
  redirectUri: must(text()),
  responseMode: must(oneOf(['query', 'form_post', 'query.jwt', 'form_post.jwt'] satisfies ResponseMode[])),
  startedAt: must(numberIn(0, Number.MAX_SAFE_INTEGER)),
  expiresAt: must(numberIn(0, Number.MAX_SAFE_INTEGER)),
  returnTo: must(nullOr(text())),
  maxAgeSeconds: must(nullOr(wholeNumber(0))),
  acrValues: must(nullOr(listOf(text(), 'strings', 1))),
  resource: must(nullOr(listOf(text(), 'strings', 1))),
  tokenParameters: must(nullOr(dictionaryOf(text(8192), 'strings'))),
});

/**
 * Reads what a store returned. Nothing is repaired: a sign-in that lost its `maxAgeSeconds` would pass without that check.
 *
 * @throws {@link OidcError} `OIDC_PENDING_INVALID`; `OIDC_CALLBACK_STATE` when there is nothing
 */
export function readPendingSignIn(value: unknown): PendingSignIn {
  if (value === undefined || value === null)
    throw new OidcError('OIDC_CALLBACK_STATE', { check: 'pending', expected: 'a pending sign-in' });
  requireShape(value, 'pending', shape, 'OIDC_PENDING_INVALID');
  return value as PendingSignIn;
}
