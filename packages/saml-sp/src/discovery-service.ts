import { type Configuration, isSafeEndpoint } from './configuration.ts';
import { SamlError } from './errors.ts';
import { readParameters } from './http-message.ts';

/** The address of a discovery service that lets the visitor choose an identity provider (sstc-saml-idp-discovery 2.4.1). */
export function discoveryUrl(
  configuration: Configuration,
  serviceUrl: string,
  options: { isPassive?: boolean; state?: string } = {},
): string {
  const { discoveryResponseUrl } = configuration;
  if (discoveryResponseUrl === undefined) throw new SamlError('SAML_CONFIG_INVALID', 'there is no discoveryResponseUrl');
  if (!isSafeEndpoint(serviceUrl)) throw new SamlError('SAML_CONFIG_INVALID', 'the discovery service must be an https address');
  const url = new URL(serviceUrl);
  const back = new URL(discoveryResponseUrl);
  if (options.state !== undefined) back.searchParams.set('state', options.state);
  url.searchParams.set('entityID', configuration.entityId);
  url.searchParams.set('return', back.href);
  url.searchParams.set('returnIDParam', 'entityID');
  if (options.isPassive === true) url.searchParams.set('isPassive', 'true');
  return url.href;
}

/**
 * Reads the visitor's choice. It is only a wish: a provider that we do not know is refused, and nothing else follows from it.
 * @returns nothing when the visitor chose none
 */
export function readDiscoveryAnswer(configuration: Configuration, query: string): string | undefined {
  const chosen = readParameters(query).filter(parameter => parameter.name === 'entityID');
  if (chosen.length > 1) throw new SamlError('SAML_PARAMETER', 'entityID is there twice');
  const entityId = chosen[0]?.value;
  if (entityId === undefined || entityId === '') return undefined;
  const provider = configuration.identityProviders.find(entityId);
  if (provider === undefined || !provider.policy.enabled)
    throw new SamlError('SAML_DISCOVERY', 'the chosen identity provider is not known here');
  return entityId;
}
