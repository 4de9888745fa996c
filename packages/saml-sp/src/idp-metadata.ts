import type { KeyObject } from 'node:crypto';
import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { quote, SamlError } from './errors.ts';
import { type Endpoint, type IdentityProvider, type IdentityProviderPolicy, strictPolicy } from './identity-provider.ts';
import { readInstant } from './instant.ts';
import { publicKeyOfCertificate, requireStrongKey } from './key-material.ts';
import { ns } from './names.ts';
import { isSafeEndpoint } from './safe-endpoint.ts';
import { validateAgainstSchema } from './schema.ts';
import { verifyEnvelopedSignature } from './signature.ts';
import { requireUniqueIds } from './signature-profile.ts';
import {
  childElements,
  childrenNamed,
  findAttribute,
  findChild,
  getAttribute,
  isNamed,
  parseUntrusted,
  trimmedTextOf,
  type XmlLimits,
} from './xml.ts';

/** How metadata is believed. */
export interface IdpMetadataOptions {
  /** Certificates or public keys obtained out of band: then the root must carry a signature by one of them (IIP-MD05). */
  signedBy?: readonly (string | KeyObject)[];
  /** Refuse metadata without `validUntil`; always so when it is signed by a federation. */
  requireValidUntil?: boolean;
  /** Refuse a `validUntil` further away than this, in days: 30 unless said. Old signed metadata must die (IIP-MD06). */
  maxValidityDays?: number;
  /** Bytes: 1 MiB unless said. Aggregates beyond it are refused, not streamed: use the federation's per-entity service (MDQ). */
  maxBytes?: number;
  /** What is expected of each provider found; strict where nothing is said. */
  policy?: Partial<IdentityProviderPolicy>;
  /** Accept SHA-1 in the signature over metadata. */
  dangerouslyAllowSha1?: boolean;
  /** The clock. */
  now?: Date;
}

const defaultMaxBytes = 1_048_576;
const day = 86_400_000;
const maxEntities = 2_000;

const limitsFor = (maxBytes: number): XmlLimits => ({
  maxBytes,
  maxElements: Math.max(20_000, Math.floor(maxBytes / 40)),
  maxAttributes: 100,
});

const keyOf = (given: string | KeyObject): KeyObject =>
  requireStrongKey(typeof given === 'string' ? publicKeyOfCertificate(given) : given);

/** The earliest `validUntil` from an element up to what holds it; missing, past or too far away is refused. */
function requireValidity(element: XmlElement, outer: Date | undefined, options: IdpMetadataOptions): Date | undefined {
  const text = findAttribute(element, 'validUntil');
  const now = options.now ?? new Date();
  const own = text === undefined ? undefined : readInstant(text);
  if (own !== undefined && own <= now)
    throw new SamlError('SAML_METADATA_EXPIRED', `the metadata ran out at ${quote(text ?? '')}`);
  if (own !== undefined && own.getTime() > now.getTime() + (options.maxValidityDays ?? 30) * day) {
    throw new SamlError('SAML_METADATA_EXPIRED', `validUntil ${quote(text ?? '')} is too far away`);
  }
  return own === undefined || (outer !== undefined && outer < own) ? outer : own;
}

/** Each endpoint must be https: a `javascript:` address would run in the form we post (V40). One bad one spoils the entity. */
function readEndpoints(role: XmlElement, name: string): Endpoint[] {
  return childrenNamed(role, ns.md, name).map(element => {
    const location = getAttribute(element, 'Location').trim();
    const responseLocation = (findAttribute(element, 'ResponseLocation') ?? location).trim();
    if (!isSafeEndpoint(location) || !isSafeEndpoint(responseLocation)) {
      throw new SamlError('SAML_METADATA_ENDPOINT', `the ${name} ${quote(location)} is not an https address`);
    }
    return { binding: getAttribute(element, 'Binding'), location, responseLocation };
  });
}

function certificatesOf(descriptor: XmlElement): string[] {
  const keyInfo = findChild(descriptor, ns.ds, 'KeyInfo');
  const data = keyInfo === undefined ? [] : childrenNamed(keyInfo, ns.ds, 'X509Data');
  return data.flatMap(one => childrenNamed(one, ns.ds, 'X509Certificate').map(trimmedTextOf));
}

/** Keys of one use; a KeyDescriptor that names no use serves both (V24, IIP-MD10). A weak one is left out, not fatal beside a good one. */
function readKeys(role: XmlElement, use: 'signing' | 'encryption'): KeyObject[] {
  const keys: KeyObject[] = [];
  for (const descriptor of childrenNamed(role, ns.md, 'KeyDescriptor')) {
    const named = findAttribute(descriptor, 'use');
    if (named !== undefined && named !== use) continue;
    for (const certificate of certificatesOf(descriptor)) {
      try {
        keys.push(requireStrongKey(publicKeyOfCertificate(certificate)));
      } catch (error) {
        if (!(error instanceof SamlError)) throw error;
      }
    }
  }
  return keys;
}

/** shibmd:Scope, in the role's or the entity's Extensions. A regular expression as scope is ignored: it could be anything. */
function readScopes(holders: readonly XmlElement[]): string[] {
  return holders.flatMap(holder => {
    const extensions = findChild(holder, ns.md, 'Extensions');
    const scopes = extensions === undefined ? [] : childrenNamed(extensions, ns.shibmd, 'Scope');
    return scopes.filter(scope => !['true', '1'].includes(findAttribute(scope, 'regexp') ?? 'false')).map(trimmedTextOf);
  });
}

function readProvider(
  entity: XmlElement,
  role: XmlElement,
  validUntil: Date | undefined,
  options: IdpMetadataOptions,
): IdentityProvider {
  const entityId = getAttribute(entity, 'entityID');
  const signingKeys = readKeys(role, 'signing');
  if (signingKeys.length === 0) throw new SamlError('SAML_KEY', `${quote(entityId)} publishes no usable signing key`);
  const errorUrl = findAttribute(role, 'errorURL');
  const wantSigned = findAttribute(role, 'WantAuthnRequestsSigned');
  return {
    entityId,
    signingKeys,
    encryptionKeys: readKeys(role, 'encryption'),
    singleSignOn: readEndpoints(role, 'SingleSignOnService'),
    singleLogout: readEndpoints(role, 'SingleLogoutService'),
    wantAuthnRequestsSigned: wantSigned === 'true' || wantSigned === '1',
    scopes: readScopes([entity, role]),
    nameIdFormats: childrenNamed(role, ns.md, 'NameIDFormat').map(trimmedTextOf),
    errorUrl: errorUrl !== undefined && isSafeEndpoint(errorUrl) ? errorUrl : undefined,
    validUntil,
    policy: { ...strictPolicy, ...options.policy },
  };
}

const speaksSaml2 = (role: XmlElement): boolean =>
  getAttribute(role, 'protocolSupportEnumeration').split(/\s+/).includes(ns.samlp);

function readEntity(entity: XmlElement, outer: Date | undefined, options: IdpMetadataOptions): IdentityProvider[] {
  const validUntil = requireValidity(entity, outer, options);
  const roles = childrenNamed(entity, ns.md, 'IDPSSODescriptor').filter(speaksSaml2);
  return roles.slice(0, 1).map(role => readProvider(entity, role, requireValidity(role, validUntil, options), options));
}

/** Walks the entities of an aggregate. One that cannot be used does not take the others with it; alone it is an error. */
function readEntities(
  element: XmlElement,
  outer: Date | undefined,
  options: IdpMetadataOptions,
  found: IdentityProvider[],
): void {
  const validUntil = requireValidity(element, outer, options);
  for (const child of childElements(element)) {
    if (isNamed(child, ns.md, 'EntitiesDescriptor')) readEntities(child, validUntil, options, found);
    if (!isNamed(child, ns.md, 'EntityDescriptor')) continue;
    try {
      found.push(...readEntity(child, validUntil, options));
    } catch (error) {
      if (!(error instanceof SamlError)) throw error;
    }
    if (found.length > maxEntities) throw new SamlError('SAML_METADATA_INVALID', `more than ${maxEntities} identity providers`);
  }
}

function readRoot(root: XmlElement, options: IdpMetadataOptions): IdentityProvider[] {
  if (options.requireValidUntil === true && findAttribute(root, 'validUntil') === undefined) {
    throw new SamlError('SAML_METADATA_EXPIRED', 'the metadata does not say until when it is valid');
  }
  if (isNamed(root, ns.md, 'EntityDescriptor')) return readEntity(root, undefined, options);
  const found: IdentityProvider[] = [];
  readEntities(root, undefined, options, found);
  return found;
}

function requireDistinct(providers: readonly IdentityProvider[]): void {
  const seen = new Set<string>();
  for (const { entityId } of providers) {
    if (seen.has(entityId)) throw new SamlError('SAML_METADATA_INVALID', `the entity ID ${quote(entityId)} is there twice`);
    seen.add(entityId);
  }
}

function parseMetadata(bytes: Uint8Array, options: IdpMetadataOptions): XmlDocument {
  const document = parseUntrusted(bytes, limitsFor(options.maxBytes ?? defaultMaxBytes));
  try {
    validateAgainstSchema(document, 'metadata');
    const { root } = document;
    if (!isNamed(root, ns.md, 'EntityDescriptor') && !isNamed(root, ns.md, 'EntitiesDescriptor')) {
      throw new SamlError('SAML_METADATA_INVALID', 'this is not SAML metadata');
    }
    requireUniqueIds(root);
    return document;
  } catch (error) {
    document.dispose();
    throw error;
  }
}

/**
 * Reads the identity providers of a metadata document: one EntityDescriptor, or EntitiesDescriptors in any depth.
 * With `signedBy`, everything is read from the bytes that were signed.
 * @throws SamlError naming the first fault; in an aggregate, unusable entities are left out instead
 */
export function readIdpMetadata(xml: string | Uint8Array, options: IdpMetadataOptions = {}): IdentityProvider[] {
  using document = parseMetadata(typeof xml === 'string' ? Buffer.from(xml) : xml, options);
  const keys = options.signedBy?.map(keyOf);
  const policy = { keys: keys ?? [], allowSha1: options.dangerouslyAllowSha1 === true };
  using verified = keys === undefined ? undefined : verifyEnvelopedSignature(document.root, policy);
  if (keys !== undefined && verified === undefined)
    throw new SamlError('SAML_SIGNATURE_MISSING', 'the metadata is not signed at its root');
  const providers = readRoot(verified?.root ?? document.root, options);
  requireDistinct(providers);
  if (providers.length === 0)
    throw new SamlError('SAML_METADATA_INVALID', 'the metadata describes no usable SAML 2.0 identity provider');
  return providers;
}
