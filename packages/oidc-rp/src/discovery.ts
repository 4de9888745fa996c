import type { UrlRules } from './endpoint-url.ts';
import { exchange, type HttpParts, readJsonAnswer, requireStatus } from './http.ts';
import { type ProviderMetadata, readProviderMetadata } from './provider-metadata.ts';

/** Where the discovery document of an issuer lies (OpenID Connect Discovery §4): below the issuer, its path included. */
export function discoveryUrl(issuer: string): URL {
  return new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
}

/**
 * Fetches and reads the discovery document once. `RelyingParty` does this for you and keeps the result.
 *
 * @throws {@link OidcError} `OIDC_DISCOVERY_…`, `OIDC_HTTP_…`, `OIDC_JSON_…`
 */
export async function discover(parts: HttpParts, issuer: string, rules: UrlRules): Promise<ProviderMetadata> {
  const answer = await exchange(parts, { subject: 'discovery', url: discoveryUrl(issuer) });
  requireStatus(answer, 200, 'discovery');
  return readProviderMetadata(readJsonAnswer(answer, 'discovery'), issuer, rules);
}
