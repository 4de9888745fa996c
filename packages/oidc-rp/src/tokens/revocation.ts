import type { Configuration } from '../client/configuration.ts';
import { may, members, must, oneOf, requireShape, text } from '../values/shape.ts';
import { postAsClient } from './token-request.ts';

/** The kind of token to revoke; helps the provider to find it. */
export type RevocationHint = 'refresh_token' | 'access_token';

const shape = members<{ token: string; hint?: RevocationHint }>({
  token: must(text(65_536)),
  hint: may(oneOf(['refresh_token', 'access_token'] satisfies RevocationHint[])),
});

/** Refuses a value that is not a token, before it is sent to a provider as the word `undefined`. */
export function requireToken(token: string, hint: RevocationHint | undefined): void {
  requireShape({ token, hint }, 'request', shape);
}

/**
 * Revokes a token (RFC 7009). A token that the provider does not know counts as revoked.
 *
 * @throws {@link OidcError} `OIDC_TOKEN_ERROR`, `OIDC_HTTP_…`
 */
export async function revokeToken(
  configuration: Configuration,
  endpoint: URL,
  token: string,
  hint: RevocationHint,
): Promise<void> {
  await postAsClient(configuration, endpoint, 'revocation', { token, token_type_hint: hint });
}
