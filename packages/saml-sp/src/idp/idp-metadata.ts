import { createPublicKey, KeyObject } from 'node:crypto';
import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';
import { publicKeyOfCertificate, requireStrongKey } from '../keys/key-material.ts';
import { verifyEnvelopedSignature } from '../keys/signature.ts';
import { requireUniqueIds } from '../keys/signature-profile.ts';
import { readInstant } from '../values/instant.ts';
import { isSafeEndpoint } from '../values/safe-endpoint.ts';
import { flag, fn, listOf, misfit, number, optional, type Reader, readShape, shape } from '../values/shape.ts';
import { bindings, ns } from '../xml/names.ts';
import { validateAgainstSchema } from '../xml/schema.ts';
import {
  type ChildFinder,
  childElements,
  childFinder,
  childrenNamed,
  findAttribute,
  findChild,
  getAttribute,
  isNamed,
  parseUntrusted,
  trimmedTextOf,
  type XmlLimits,
} from '../xml/xml.ts';
import {
  type Endpoint,
  type IdentityProvider,
  type IdentityProviderPolicy,
  type IndexedEndpoint,
  policyReader,
  strictPolicy,
} from './identity-provider.ts';
import { readDisplay } from './metadata-display.ts';

/** How metadata is trusted. */
export interface IdpMetadataOptions {
  /** Certificates or public keys obtained out of band: the root must be signed by one of them. */
  signedBy?: readonly (string | KeyObject)[];
  /** Refuse metadata without `validUntil`. Default true when `signedBy` is given: old signed metadata must expire. */
  requireValidUntil?: boolean;
  /**
   * Refuse a `validUntil` further away than this, in days. Default 30 when `signedBy` is given. Unsigned metadata may claim
   * anything: Google writes five years.
   */
  maxValidityDays?: number;
  /** In bytes. Default 1 MiB, or 100 MiB in a worker. */
  maxBytes?: number;
  /** The policy for each provider found; strict by default. */
  policy?: Partial<IdentityProviderPolicy>;
  /** Accept SHA-1 in the signature over metadata. */
  dangerouslyAllowSha1?: boolean;
  /** Called for each entity of an aggregate that is left out, with the reason. */
  onLeftOut?: (entityId: string, error: SamlError) => void;
  /** The clock. */
  now?: Date;
}

/** A parsed document. */
export interface ReadMetadata {
  providers: IdentityProvider[];
  /** How long the source may be cached (cacheDuration of the root), in seconds. */
  cacheSeconds: number | undefined;
}

const keyGiven: Reader<string | KeyObject> = (value, path) =>
  typeof value === 'string' || value instanceof KeyObject ? value : misfit(path, 'a PEM text or a KeyObject', value);

/** The members of `IdpMetadataOptions` without the clock. */
export const sourceOptions = {
  signedBy: optional(listOf(keyGiven, 'certificates or keys', 100)),
  requireValidUntil: optional(flag),
  maxValidityDays: optional(number(0.01, 36_500)),
  maxBytes: optional(number(1, 1_073_741_824)),
  policy: optional(policyReader),
  dangerouslyAllowSha1: optional(flag),
  onLeftOut: optional(fn<(entityId: string, error: SamlError) => void>()),
};

const optionsReader = shape({
  ...sourceOptions,
  now: optional<Date>((value, path) =>
    value instanceof Date && !Number.isNaN(value.getTime()) ? value : misfit(path, 'a Date', value),
  ),
}) as unknown as Reader<IdpMetadataOptions>;

export const defaultMaxBytes = 1_048_576;
const day = 86_400_000;
const maxEntities = 200_000;

const limitsFor = (maxBytes: number): XmlLimits => ({
  maxBytes,
  maxElements: Math.max(20_000, Math.floor(maxBytes / 40)),
  maxAttributes: 100,
  cutComments: true,
});

const keyOf = (given: string | KeyObject): KeyObject => {
  if (typeof given !== 'string') return requireStrongKey(given);
  return requireStrongKey(given.includes('PUBLIC KEY') ? createPublicKey(given) : publicKeyOfCertificate(given));
};

/** The earliest `validUntil` of an element and those around it. One in the past, or too far away in a signed source, is refused. */
function requireValidity(element: XmlElement, outer: Date | undefined, options: IdpMetadataOptions): Date | undefined {
  const text = findAttribute(element, 'validUntil');
  const now = options.now ?? new Date();
  const own = text === undefined ? undefined : readInstant(text);
  if (own !== undefined && own <= now)
    throw new SamlError('SAML_METADATA_EXPIRED', `the metadata expired at ${quote(text ?? '')}`);
  const days = options.maxValidityDays ?? (options.signedBy === undefined ? undefined : 30);
  if (own !== undefined && days !== undefined && own.getTime() > now.getTime() + days * day) {
    throw new SamlError('SAML_METADATA_EXPIRED', `validUntil ${quote(text ?? '')} is too far in the future`);
  }
  return own === undefined || (outer !== undefined && outer < own) ? outer : own;
}

/**
 * Reads an endpoint, which must be https. One with plain http is left out: federations list old ones beside good ones. Anything
 * else makes the entity unusable: a `javascript:` address would run in the form we post (CVE-2023-45683).
 */
function readEndpoint(element: XmlElement, name: string): Endpoint[] {
  const location = getAttribute(element, 'Location').trim();
  const responseLocation = (findAttribute(element, 'ResponseLocation') ?? location).trim();
  if (isSafeEndpoint(location) && isSafeEndpoint(responseLocation))
    return [{ binding: getAttribute(element, 'Binding'), location, responseLocation }];
  const plain = [location, responseLocation].every(
    one => isSafeEndpoint(one) || isSafeEndpoint(one.replace(/^http:/i, 'https:')),
  );
  if (plain) return [];
  throw new SamlError('SAML_METADATA_ENDPOINT', `the ${name} ${quote(location)} is not an https address`);
}

const readEndpoints = (role: ChildFinder, name: string): Endpoint[] =>
  role(ns.md, name).flatMap(element => readEndpoint(element, name));

const bigEndian = (element: XmlElement | undefined): string =>
  element === undefined ? '' : Buffer.from(trimmedTextOf(element).replace(/\s+/g, ''), 'base64').toString('base64url');

/** Where artifacts are resolved: SOAP endpoints at https addresses, the first of each index. */
function readArtifactResolution(role: ChildFinder): IndexedEndpoint[] {
  const found = new Map<number, IndexedEndpoint>();
  for (const element of role(ns.md, 'ArtifactResolutionService')) {
    const [endpoint] = readEndpoint(element, 'ArtifactResolutionService');
    const index = Number(getAttribute(element, 'index'));
    if (endpoint?.binding === bindings.soap && !found.has(index)) found.set(index, { index, location: endpoint.location });
  }
  return [...found.values()];
}

/** A bare RSA key. The SAML 2.0 Metadata Interoperability Profile 2.5 requires support for it besides certificates. */
function readKeyValue(keyInfo: XmlElement): KeyObject[] {
  return childrenNamed(keyInfo, ns.ds, 'KeyValue').flatMap(value => {
    const rsa = findChild(value, ns.ds, 'RSAKeyValue');
    if (rsa === undefined) return [];
    const [n, e] = ['Modulus', 'Exponent'].map(name => bigEndian(findChild(rsa, ns.ds, name)));
    return [createPublicKey({ key: { kty: 'RSA', n: n ?? '', e: e ?? '' }, format: 'jwk' })];
  });
}

/** The keys of a KeyDescriptor. The first certificate of each X509Data is its own; the others are its issuers. */
function keysOf(descriptor: XmlElement): KeyObject[] {
  const keyInfo = findChild(descriptor, ns.ds, 'KeyInfo');
  if (keyInfo === undefined) return [];
  const certificates = childrenNamed(keyInfo, ns.ds, 'X509Data').flatMap(
    data => childrenNamed(data, ns.ds, 'X509Certificate')[0] ?? [],
  );
  const keys: KeyObject[] = [];
  for (const read of [
    ...certificates.map(one => () => [publicKeyOfCertificate(trimmedTextOf(one))]),
    ...(certificates.length === 0 ? [() => readKeyValue(keyInfo)] : []),
  ]) {
    try {
      keys.push(...read().map(requireStrongKey));
    } catch {
      // A weak or unreadable key is left out: it is not fatal if there is a good one.
    }
  }
  return keys;
}

/** The keys by use; a KeyDescriptor without a use serves both. */
function readKeys(role: ChildFinder): Record<'signing' | 'encryption', KeyObject[]> {
  const read = role(ns.md, 'KeyDescriptor').map(one => ({ use: findAttribute(one, 'use'), keys: keysOf(one) }));
  const keysFor = (wanted: string) => read.flatMap(({ use, keys }) => (use === undefined || use === wanted ? keys : []));
  return { signing: keysFor('signing'), encryption: keysFor('encryption') };
}

/** shibmd:Scope, in the role's or the entity's Extensions. A scope given as a regular expression is ignored: it could match anything. */
function readScopes(holders: readonly ChildFinder[]): string[] {
  return holders.flatMap(holder => {
    const scopes = holder(ns.md, 'Extensions').flatMap(one => childrenNamed(one, ns.shibmd, 'Scope'));
    return scopes.filter(scope => !['true', '1'].includes(findAttribute(scope, 'regexp') ?? 'false')).map(trimmedTextOf);
  });
}

/** The parts of a role that are read, besides its Extensions; the rest may be anything. */
const readParts = new Set([
  'KeyDescriptor',
  'SingleSignOnService',
  'SingleLogoutService',
  'NameIDFormat',
  'ArtifactResolutionService',
]);

/**
 * Removes from an entity everything that is not read, so that unknown content (a WS-Federation role, a contact of a new kind, an
 * attribute of a foreign type) does not stop people from signing in. What remains is validated.
 */
function requireValidEntity(entity: XmlElement, role: XmlElement): void {
  for (const child of childElements(entity)) if (!child.isSameNode(role)) child.remove();
  for (const child of childElements(role)) if (child.namespaceUri !== ns.md || !readParts.has(child.name)) child.remove();
  validateAgainstSchema(entity, 'metadata');
}

function readProvider(
  entity: XmlElement,
  role: XmlElement,
  validUntil: Date | undefined,
  options: IdpMetadataOptions,
): IdentityProvider {
  const entityId = getAttribute(entity, 'entityID');
  const [entityParts, parts] = [childFinder(entity), childFinder(role)];
  const scopes = readScopes([entityParts, parts]);
  const display = readDisplay(entityParts, parts);
  requireValidEntity(entity, role);
  const keys = readKeys(parts);
  if (keys.signing.length === 0) throw new SamlError('SAML_KEY', `${quote(entityId)} publishes no usable signing key`);
  const singleSignOn = readEndpoints(parts, 'SingleSignOnService');
  if (singleSignOn.length === 0)
    throw new SamlError('SAML_METADATA_ENDPOINT', `${quote(entityId)} has no single sign-on service at an https address`);
  const errorUrl = findAttribute(role, 'errorURL');
  const wantSigned = findAttribute(role, 'WantAuthnRequestsSigned');
  return {
    entityId,
    signingKeys: keys.signing,
    encryptionKeys: keys.encryption,
    singleSignOn,
    singleLogout: readEndpoints(parts, 'SingleLogoutService'),
    artifactResolution: readArtifactResolution(parts),
    wantAuthnRequestsSigned: wantSigned === 'true' || wantSigned === '1',
    scopes,
    nameIdFormats: parts(ns.md, 'NameIDFormat').map(trimmedTextOf),
    errorUrl: errorUrl !== undefined && isSafeEndpoint(errorUrl) ? errorUrl : undefined,
    validUntil,
    policy: { ...strictPolicy, ...options.policy },
    display,
  };
}

const speaksSaml2 = (role: XmlElement): boolean =>
  (findAttribute(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(ns.samlp);

function readEntity(entity: XmlElement, outer: Date | undefined, options: IdpMetadataOptions): IdentityProvider[] {
  const validUntil = requireValidity(entity, outer, options);
  const role = childrenNamed(entity, ns.md, 'IDPSSODescriptor').find(speaksSaml2);
  return role === undefined ? [] : [readProvider(entity, role, requireValidity(role, validUntil, options), options)];
}

/** Walks the entities of an aggregate. An unusable one, or an expired group, does not affect the others; on its own it is an error. */
function readEntities(
  element: XmlElement,
  validUntil: Date | undefined,
  options: IdpMetadataOptions,
  found: IdentityProvider[],
): void {
  for (const child of childElements(element)) {
    if (isNamed(child, ns.md, 'EntitiesDescriptor')) {
      const group = orLeaveOut(child, options, () => ({ validUntil: requireValidity(child, validUntil, options) }));
      if (group !== undefined) readEntities(child, group.validUntil, options, found);
    }
    if (isNamed(child, ns.md, 'EntityDescriptor'))
      found.push(...(orLeaveOut(child, options, () => readEntity(child, validUntil, options)) ?? []));
    if (found.length > maxEntities) throw new SamlError('SAML_METADATA_INVALID', `more than ${maxEntities} identity providers`);
  }
}

/** The entity or group that was read; undefined if a fault leaves it out, with everything in it. */
function orLeaveOut<T>(element: XmlElement, options: IdpMetadataOptions, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SamlError)) throw error;
    tellLeftOut(element, error, options);
    return undefined;
  }
}

function tellLeftOut(element: XmlElement, error: SamlError, options: IdpMetadataOptions): void {
  if (isNamed(element, ns.md, 'EntityDescriptor')) options.onLeftOut?.(findAttribute(element, 'entityID') ?? '', error);
  else for (const child of childElements(element)) tellLeftOut(child, error, options);
}

function readRoot(root: XmlElement, options: IdpMetadataOptions): IdentityProvider[] {
  const required = options.requireValidUntil ?? options.signedBy !== undefined;
  if (required && findAttribute(root, 'validUntil') === undefined) {
    throw new SamlError('SAML_METADATA_EXPIRED', 'the metadata has no validUntil');
  }
  if (isNamed(root, ns.md, 'EntityDescriptor')) return readEntity(root, undefined, options);
  const found: IdentityProvider[] = [];
  readEntities(root, requireValidity(root, undefined, options), options, found);
  return found;
}

function requireDistinct(providers: readonly IdentityProvider[]): void {
  const seen = new Set<string>();
  for (const { entityId } of providers) {
    if (seen.has(entityId)) throw new SamlError('SAML_METADATA_INVALID', `duplicate entity ID ${quote(entityId)}`);
    seen.add(entityId);
  }
}

function parseMetadata(bytes: Uint8Array, maxBytes: number): XmlDocument {
  const document = parseUntrusted(bytes, limitsFor(maxBytes));
  try {
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

const units: Readonly<Record<string, number>> = { D: 86_400, H: 3600, M: 60, S: 1 };

/**
 * An xs:duration of days or smaller units, in seconds. Months have no fixed length, but zero months do (Java writes
 * `P0Y0M0DT0H10M0.000S`).
 */
function readDuration(text: string | undefined): number | undefined {
  const found =
    /^P(?:0{1,9}Y)?(?:0{1,9}M)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?$/.exec(
      text ?? '',
    );
  if (found === null) return undefined;
  return ['D', 'H', 'M', 'S'].reduce((sum, unit, at) => sum + Number(found[at + 1] ?? 0) * (units[unit] ?? 0), 0);
}

/** The bytes of metadata given as text or bytes. */
export function bytesOfMetadata(xml: string | Uint8Array): Uint8Array {
  if (typeof xml === 'string') return Buffer.from(xml);
  if (xml instanceof Uint8Array) return xml;
  throw new SamlError('SAML_CONFIG_INVALID', 'xml: expected the metadata as text or bytes');
}

/** Reads a document with everything that a refresh needs. */
export function readMetadata(xml: string | Uint8Array, given: IdpMetadataOptions, maxBytes = defaultMaxBytes): ReadMetadata {
  const options = readShape(given, 'options', optionsReader);
  using document = parseMetadata(bytesOfMetadata(xml), options.maxBytes ?? maxBytes);
  const keys = options.signedBy?.map(keyOf);
  const policy = { keys: keys ?? [], allowSha1: options.dangerouslyAllowSha1 === true };
  using verified = keys === undefined ? undefined : verifyEnvelopedSignature(document.root, policy);
  if (keys !== undefined && verified === undefined)
    throw new SamlError('SAML_SIGNATURE_MISSING', 'the metadata is not signed at its root');
  const root = verified?.root ?? document.root;
  const cacheSeconds = readDuration(findAttribute(root, 'cacheDuration'));
  const providers = readRoot(root, options);
  requireDistinct(providers);
  if (providers.length === 0)
    throw new SamlError('SAML_METADATA_INVALID', 'the metadata describes no usable SAML 2.0 identity provider');
  return { providers, cacheSeconds };
}

/**
 * Reads the identity providers of a metadata document: one EntityDescriptor, or EntitiesDescriptors at any depth. With
 * `signedBy`, everything is read from the bytes that were signed. It blocks: for aggregates use `readLargeMetadata`.
 * @throws SamlError naming the first fault; in an aggregate, unusable entities are left out instead
 * @example const [provider] = readIdpMetadata(await readFile('idp-metadata.xml'));
 */
export const readIdpMetadata = (xml: string | Uint8Array, options: IdpMetadataOptions = {}): IdentityProvider[] =>
  readMetadata(xml, options).providers;
