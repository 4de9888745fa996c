import { readEndpointUrl, type UrlRules } from './endpoint-url.ts';
import { OidcError } from './errors.ts';
import type { JsonObject } from './json.ts';

/** What a provider publishes about itself (OpenID Connect Discovery §3), as far as it is used here. Unknown members are kept. */
export interface ProviderMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  userinfo_endpoint?: string;
  end_session_endpoint?: string;
  revocation_endpoint?: string;
  /** RFC 9207: the callback always carries `iss`. */
  authorization_response_iss_parameter_supported?: boolean;
  [member: string]: unknown;
}

const required = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];
const optional = ['userinfo_endpoint', 'end_session_endpoint', 'revocation_endpoint'];

/**
 * Reads a discovery document. Its issuer is the one that was asked for, to the letter: otherwise any web site could
 * speak for any provider. Algorithms that it lists are never used to decide anything.
 *
 * @throws {@link OidcError} `OIDC_DISCOVERY_ISSUER`, `OIDC_DISCOVERY_INVALID`
 */
export function readProviderMetadata(document: JsonObject, issuer: string, rules: UrlRules): ProviderMetadata {
  if (document.issuer !== issuer) {
    throw new OidcError('OIDC_DISCOVERY_ISSUER', { check: 'discovery.issuer', expected: issuer, received: document.issuer });
  }
  for (const member of required) readEndpointUrl(document[member], `discovery.${member}`, rules, 'OIDC_DISCOVERY_INVALID');
  for (const member of optional) {
    if (document[member] !== undefined) readEndpointUrl(document[member], `discovery.${member}`, rules, 'OIDC_DISCOVERY_INVALID');
  }
  const promise = document.authorization_response_iss_parameter_supported;
  if (promise !== undefined && typeof promise !== 'boolean') {
    throw new OidcError('OIDC_DISCOVERY_INVALID', {
      check: 'discovery.authorization_response_iss_parameter_supported',
      expected: 'true or false',
    });
  }
  return document as ProviderMetadata;
}

/** An endpoint that not every provider has. */
export function requireEndpoint(
  metadata: ProviderMetadata,
  member: 'userinfo_endpoint' | 'end_session_endpoint' | 'revocation_endpoint',
): URL {
  const value = metadata[member];
  if (value === undefined) throw new OidcError('OIDC_ENDPOINT_MISSING', { check: `discovery.${member}` });
  return new URL(value);
}
