import { OidcError } from '../errors.ts';
import { readEndpointUrl, type UrlRules } from '../http/endpoint-url.ts';
import { type JsonObject, withoutNulls } from '../values/json.ts';
import type { IssuerRule } from './issuer-rule.ts';

/** A provider's description of itself (OpenID Connect Discovery §3), as far as this package uses it. Unknown members are kept. */
export interface ProviderMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  userinfo_endpoint?: string;
  end_session_endpoint?: string;
  revocation_endpoint?: string;
  introspection_endpoint?: string;
  /** RFC 9126. */
  pushed_authorization_request_endpoint?: string;
  require_pushed_authorization_requests?: boolean;
  /** RFC 8628. */
  device_authorization_endpoint?: string;
  /** RFC 9207: the callback always carries `iss`. */
  authorization_response_iss_parameter_supported?: boolean;
  [member: string]: unknown;
}

/** The endpoints that not every provider has. */
export type OptionalEndpoint =
  | 'userinfo_endpoint'
  | 'end_session_endpoint'
  | 'revocation_endpoint'
  | 'introspection_endpoint'
  | 'pushed_authorization_request_endpoint'
  | 'device_authorization_endpoint';

const required = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];
const optional: readonly OptionalEndpoint[] = [
  'userinfo_endpoint',
  'end_session_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'pushed_authorization_request_endpoint',
  'device_authorization_endpoint',
];
const flags = ['authorization_response_iss_parameter_supported', 'require_pushed_authorization_requests'];

/**
 * Reads a discovery document. Its issuer must be exactly the requested one: otherwise any web site could speak for any provider.
 * The algorithms it lists never decide anything. A null member counts as absent.
 *
 * @throws {@link OidcError} `OIDC_DISCOVERY_ISSUER`, `OIDC_DISCOVERY_INVALID`
 */
export function readProviderMetadata(given: JsonObject, rule: IssuerRule, rules: UrlRules): ProviderMetadata {
  const document = withoutNulls(given);
  const { documentIssuer: issuer } = rule;
  if (document.issuer !== issuer) {
    throw new OidcError('OIDC_DISCOVERY_ISSUER', { check: 'discovery.issuer', expected: issuer, received: document.issuer });
  }
  for (const member of required) readEndpointUrl(document[member], `discovery.${member}`, rules, 'OIDC_DISCOVERY_INVALID');
  for (const member of optional) {
    if (document[member] !== undefined) readEndpointUrl(document[member], `discovery.${member}`, rules, 'OIDC_DISCOVERY_INVALID');
  }
  const unclear = flags.find(member => document[member] !== undefined && typeof document[member] !== 'boolean');
  if (unclear !== undefined)
    throw new OidcError('OIDC_DISCOVERY_INVALID', { check: `discovery.${unclear}`, expected: 'true or false' });
  return document as ProviderMetadata;
}

/** The URL of an endpoint that not every provider has. */
export function requireEndpoint(metadata: ProviderMetadata, member: OptionalEndpoint): URL {
  const value = metadata[member];
  if (value === undefined) throw new OidcError('OIDC_ENDPOINT_MISSING', { check: `discovery.${member}` });
  return new URL(value);
}
