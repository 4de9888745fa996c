import { KeyObject } from 'node:crypto';
import { quote, SamlError } from '../errors.ts';
import { endpointReader } from '../values/safe-endpoint.ts';
import { flag, holding, listOf, misfit, number, optional, type Reader, readShape, shape, text } from '../values/shape.ts';
import type { ProviderDisplay } from './metadata-display.ts';

/** The policy for one identity provider. Every `dangerously…` option is off unless set explicitly. */
export interface IdentityProviderPolicy {
  /** False refuses the provider at every endpoint, including sign-ins and logouts that it starts. */
  enabled: boolean;
  /** Refuse a Response that is not itself signed, even when its assertion is. */
  wantResponseSigned: boolean;
  /** Refuse an assertion that is not itself signed, even when the Response is. */
  wantAssertionsSigned: boolean;
  /** Refuse an assertion that is not encrypted. */
  wantAssertionsEncrypted: boolean;
  /** Accept SHA-1 signatures and digests. Collisions can be bought. */
  dangerouslyAllowSha1: boolean;
  /** Accept AES-CBC, whose ciphertext can be changed unnoticed and whose padding can leak secrets. */
  dangerouslyAllowCbc: boolean;
  /** Accept sign-ins that were not started here: anyone may then sign a visitor in as someone else (login CSRF). */
  dangerouslyAllowUnsolicited: boolean;
  /**
   * Trust an unsigned Response that was fetched for an artifact, because TLS identifies the server: then anyone who can answer at
   * that address, including a proxy or cache in front of the provider, decides who signs in.
   */
  dangerouslyTrustArtifactTls: boolean;
}

/**
 * The default policy: every check on, nothing weak.
 * @example readIdpMetadata(xml, { policy: { ...strictPolicy, wantResponseSigned: true } })
 */
export const strictPolicy: Readonly<IdentityProviderPolicy> = {
  enabled: true,
  wantResponseSigned: false,
  wantAssertionsSigned: false,
  wantAssertionsEncrypted: false,
  dangerouslyAllowSha1: false,
  dangerouslyAllowCbc: false,
  dangerouslyAllowUnsolicited: false,
  dangerouslyTrustArtifactTls: false,
};

/** A partial policy, as in metadata options: unknown names are refused. */
export const policyReader = shape(Object.fromEntries(Object.keys(strictPolicy).map(name => [name, optional(flag)]))) as Reader<
  Partial<IdentityProviderPolicy>
>;

/** One address of an identity provider. */
export interface Endpoint {
  /** A binding URI. */
  binding: string;
  /** Where requests go. Always https, or http on a loopback address. */
  location: string;
  /** Where answers go, if that is another address. */
  responseLocation: string;
}

/** An address where a provider resolves artifacts to messages, by SOAP (md:ArtifactResolutionService). */
export interface IndexedEndpoint {
  /** The index that artifacts name. */
  index: number;
  /** Always https, or http on a loopback address. */
  location: string;
}

/** An identity provider as its metadata describes it, with the policy that we set for it. */
export interface IdentityProvider {
  entityId: string;
  /** Keys that sign; at least one. All are tried. */
  signingKeys: readonly KeyObject[];
  /** Keys for encrypting to it. */
  encryptionKeys: readonly KeyObject[];
  singleSignOn: readonly Endpoint[];
  singleLogout: readonly Endpoint[];
  /** Where artifacts are resolved; absent or empty if it sends none. */
  artifactResolution?: readonly IndexedEndpoint[];
  /** Whether it wants signed AuthnRequests. */
  wantAuthnRequestsSigned: boolean;
  /** Scopes that it may speak for (shibmd:Scope, plain ones only). */
  scopes: readonly string[];
  /** NameID formats that it claims to support. */
  nameIdFormats: readonly string[];
  /** The provider's page that explains a failed sign-in. */
  errorUrl: string | undefined;
  /** When the description expires. */
  validUntil: Date | undefined;
  policy: IdentityProviderPolicy;
  /** How it wants to be shown to people who choose; absent if it was not read from metadata. */
  display?: ProviderDisplay;
}

const date: Reader<Date> = (value, path) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value : misfit(path, 'a Date', value);
const publicKey: Reader<KeyObject> = (value, path) =>
  value instanceof KeyObject && value.type === 'public' ? value : misfit(path, 'a public KeyObject', value);
const endpoints = listOf(
  shape({ binding: text(), location: endpointReader, responseLocation: endpointReader }),
  'endpoints',
) as Reader<Endpoint[]>;
const strings = listOf(text(), 'strings');

/** A provider that was written by hand must satisfy the same rules as metadata. */
export const identityProviderReader = shape({
  entityId: text('an entity ID', value => value !== '' && value.length <= 1024),
  signingKeys: listOf(publicKey, 'public KeyObjects'),
  encryptionKeys: listOf(publicKey, 'public KeyObjects'),
  singleSignOn: endpoints,
  singleLogout: endpoints,
  artifactResolution: optional(
    listOf(shape({ index: number(0, 65_535), location: endpointReader }), 'endpoints with an index', 100),
  ),
  wantAuthnRequestsSigned: flag,
  scopes: strings,
  nameIdFormats: strings,
  errorUrl: optional(endpointReader),
  validUntil: optional(date),
  policy: shape(Object.fromEntries(Object.keys(strictPolicy).map(name => [name, flag]))),
  display: optional((value): unknown => value),
}) as unknown as Reader<IdentityProvider>;

/**
 * Looks up identity providers. It may change while the service runs (`MetadataRefresh`) or ask a server (`MetadataQuery`). If it
 * throws, that is an outage: `SAML_STORE_UNAVAILABLE`, status 503.
 */
export interface IdentityProviderDirectory {
  find(entityId: string): IdentityProvider | undefined | Promise<IdentityProvider | undefined>;
}

const named = listOf(holding({ entityId: text() }), 'identity providers', Number.POSITIVE_INFINITY);

/**
 * A directory with a fixed list.
 * @example const directory = directoryOf(readIdpMetadata(xml));
 */
export function directoryOf(providers: readonly IdentityProvider[]): IdentityProviderDirectory {
  readShape(providers, 'providers', named);
  const byId = new Map(providers.map(provider => [provider.entityId, provider]));
  if (byId.size !== providers.length)
    throw new SamlError('SAML_CONFIG_INVALID', 'two identity providers have the same entity ID');
  return { find: entityId => byId.get(entityId) };
}

/** Asks the directory. Being unable to answer is not the same as knowing no provider of that name. */
export async function findIdentityProvider(
  directory: IdentityProviderDirectory,
  entityId: string,
): Promise<IdentityProvider | undefined> {
  try {
    return await directory.find(entityId);
  } catch (cause) {
    if (cause instanceof SamlError) throw cause;
    throw new SamlError('SAML_STORE_UNAVAILABLE', 'the directory of identity providers did not respond', { cause });
  }
}

/** The provider of that name, if it is configured, enabled and not expired; throws otherwise. */
export async function requireIdentityProvider(
  directory: IdentityProviderDirectory,
  entityId: string,
  now: Date,
): Promise<IdentityProvider> {
  // Often from a query, where a duplicate parameter is not text.
  const provider = typeof entityId === 'string' ? await findIdentityProvider(directory, entityId) : undefined;
  if (provider === undefined || !provider.policy.enabled) {
    throw new SamlError(
      'SAML_UNKNOWN_IDP',
      `the identity provider ${quote(typeof entityId === 'string' ? entityId : typeof entityId)} is not configured or switched off`,
    );
  }
  if (provider.validUntil !== undefined && provider.validUntil <= now) {
    throw new SamlError('SAML_METADATA_EXPIRED', `the metadata of ${quote(entityId)} has expired`);
  }
  if (provider.signingKeys.length === 0) throw new SamlError('SAML_KEY', `no signing key is known for ${quote(entityId)}`);
  return provider;
}

/** Whose signatures count for this provider. */
export const signaturePolicyOf = (provider: IdentityProvider) => ({
  keys: provider.signingKeys,
  allowSha1: provider.policy.dangerouslyAllowSha1,
});

/** The endpoint for the first of these bindings that the provider offers. */
export function findEndpoint(endpoints: readonly Endpoint[], wanted: readonly string[]): Endpoint | undefined {
  for (const binding of wanted) {
    const found = endpoints.find(endpoint => endpoint.binding === binding);
    if (found !== undefined) return found;
  }
  return undefined;
}
