import type { Configuration } from '../client/configuration.ts';
import { cacheSeconds } from '../http/cache-control.ts';
import type { Loaded } from '../http/cached-document.ts';
import { exchange, readJsonAnswer, requireStatus } from '../http/http.ts';
import { type ProviderMetadata, readProviderMetadata } from '../issuer/provider-metadata.ts';
import { requireShape, webAddress } from '../values/shape.ts';

/**
 * The address of an issuer's discovery document (OpenID Connect Discovery §4): below the issuer, including its path.
 *
 * @example
 * ```ts
 * discoveryUrl('https://op.example.org/tenant').href; // https://op.example.org/tenant/.well-known/openid-configuration
 * ```
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: the issuer is not a URL
 */
export function discoveryUrl(issuer: string): URL {
  requireShape(issuer, 'issuer', webAddress);
  return new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
}

/**
 * Fetches and reads the discovery document once. `RelyingParty` does this for you and keeps the result.
 *
 * @throws {@link OidcError} `OIDC_DISCOVERY_…`, `OIDC_HTTP_…`, `OIDC_JSON_…`
 */
export async function discover(configuration: Configuration): Promise<Loaded<ProviderMetadata>> {
  const { issuer, issuerRule, urlRules, limits } = configuration;
  const answer = await exchange(configuration, { subject: 'discovery', url: discoveryUrl(issuer) });
  requireStatus(answer, [200], 'discovery');
  const value = readProviderMetadata(readJsonAnswer(answer, 'discovery'), issuerRule, urlRules);
  return { value, maxAgeSeconds: cacheSeconds(answer.headers, limits.metadataMaxAgeSeconds, limits) };
}
