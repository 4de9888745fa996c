import { readParameters } from '../bindings/http-message.ts';
import { type IncomingRequest, readIncoming } from '../bindings/incoming-request.ts';
import { SamlError } from '../errors.ts';
import { findIdentityProvider } from '../idp/identity-provider.ts';
import type { Configuration } from '../sp/configuration.ts';
import { isSafeEndpoint } from '../values/safe-endpoint.ts';
import { flag, optional, readShape, shape, text } from '../values/shape.ts';

/** The URL of a discovery service that lets the visitor choose an identity provider (sstc-saml-idp-discovery 2.4.1). */
export function discoveryUrl(
  configuration: Configuration,
  serviceUrl: string,
  options: { isPassive?: boolean; state?: string } = {},
): string {
  const wish = readShape(options, 'options', shape({ isPassive: optional(flag), state: optional(text()) }));
  const { discoveryResponseUrl } = configuration;
  if (discoveryResponseUrl === undefined) throw new SamlError('SAML_CONFIG_INVALID', 'options.discoveryResponseUrl is not set');
  if (!isSafeEndpoint(serviceUrl)) throw new SamlError('SAML_CONFIG_INVALID', 'the discovery service must be an https address');
  const url = new URL(serviceUrl);
  const back = new URL(discoveryResponseUrl);
  if (wish.state !== undefined) back.searchParams.set('state', wish.state);
  url.searchParams.set('entityID', configuration.entityId);
  url.searchParams.set('return', back.href);
  url.searchParams.set('returnIDParam', 'entityID');
  if (wish.isPassive === true) url.searchParams.set('isPassive', 'true');
  return url.href;
}

/**
 * Reads the visitor's choice. It is only a request: an unknown provider is refused, and nothing else follows from it.
 * @returns undefined when the visitor chose none
 */
export async function readDiscoveryAnswer(configuration: Configuration, request: IncomingRequest): Promise<string | undefined> {
  const { query } = await readIncoming(request, 0);
  const chosen = readParameters(query).filter(parameter => parameter.name === 'entityID');
  if (chosen.length > 1) throw new SamlError('SAML_PARAMETER', 'duplicate parameter entityID');
  const entityId = chosen[0]?.value;
  if (entityId === undefined || entityId === '') return undefined;
  const provider = await findIdentityProvider(configuration.identityProviders, entityId);
  if (provider === undefined || !provider.policy.enabled)
    throw new SamlError('SAML_DISCOVERY', 'the chosen identity provider is not configured');
  return entityId;
}
