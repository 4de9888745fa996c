import { type XmlDocument, type XmlElement, XmlXPath } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';
import { requireUniqueIds } from '../keys/signature-profile.ts';
import { type Clock, isFuture, readInstant } from '../values/instant.ts';
import { withoutForeignTypes } from '../xml/foreign-types.ts';
import { nameIdFormats, ns } from '../xml/names.ts';
import { type SchemaSet, validateAgainstSchema } from '../xml/schema.ts';
import { findAttribute, findChild, getAttribute, isNamed, parseUntrusted, textOf, type XmlLimits } from '../xml/xml.ts';

let wrappable: XmlXPath | undefined;

/**
 * Parses untrusted bytes to a document that may be examined: plain bytes, one parse, the standard's schema, the expected root, no
 * duplicate ID. Nothing in it is trusted yet. The caller disposes of it.
 */
export function readMessage(
  bytes: Uint8Array,
  root: { namespace: string; name: string },
  set: SchemaSet = 'protocol',
  limits?: XmlLimits,
): XmlDocument {
  const document = parseUntrusted(bytes, limits);
  try {
    validateMessage(document, bytes, set, limits);
    if (!isNamed(document.root, root.namespace, root.name)) {
      throw new SamlError('SAML_STRUCTURE', `expected ${root.name}, received ${quote(document.root.name)}`);
    }
    requireUniqueIds(document.root);
    return document;
  } catch (error) {
    document.dispose();
    throw error;
  }
}

/** Validates a message against the standard's schema. A foreign type of an attribute's value is not a fault. */
export function validateMessage(document: XmlDocument, bytes: Uint8Array, set: SchemaSet = 'protocol', limits?: XmlLimits): void {
  const copy = withoutForeignTypes(document, bytes, limits);
  try {
    validateAgainstSchema(copy ?? document, set);
  } finally {
    copy?.dispose();
  }
}

/**
 * Counts, over the whole document, the elements that a wrapping attack must duplicate. An assertion or a signature in Extensions,
 * StatusDetail, Advice, ds:Object or an attribute is refused wherever it hides (CVE-2024-45409, CVE-2025-47949).
 */
export function requireCounts(root: XmlElement, expected: { assertions: number; signatures: number }): void {
  wrappable ??= XmlXPath.compile(
    "//*[local-name()='Assertion' or local-name()='EncryptedAssertion' or local-name()='Signature' or local-name()='SignedInfo']",
  );
  const found = root.find(wrappable).map(node => (node as XmlElement).name);
  const assertions = found.filter(name => name.endsWith('Assertion')).length;
  if (assertions !== expected.assertions)
    throw new SamlError('SAML_STRUCTURE', `expected ${expected.assertions} assertions, received ${assertions}`);
  if (found.length - assertions !== 2 * expected.signatures) {
    throw new SamlError('SAML_STRUCTURE', 'a signature is in a place where none is allowed');
  }
}

/** Checks Version, ID and IssueInstant, which Response, Assertion and every request have. */
export function requireEnvelope(element: XmlElement, clock: Clock): Date {
  if (getAttribute(element, 'Version') !== '2.0') throw new SamlError('SAML_VERSION', `${element.name} is not SAML 2.0`);
  const issued = readInstant(getAttribute(element, 'IssueInstant'));
  if (isFuture(issued, clock)) throw new SamlError('SAML_ISSUE_INSTANT', `${element.name} was issued in the future`);
  return issued;
}

/** Destination, if present, must be our address, byte for byte: default ports, letter case and trailing slashes matter. */
export function requireDestinationIfPresent(element: XmlElement, address: string): void {
  if (findAttribute(element, 'Destination') !== undefined) requireDestination(element, address);
}

/** Destination must be present and our address. */
export function requireDestination(element: XmlElement, address: string): void {
  const destination = findAttribute(element, 'Destination');
  if (destination !== address)
    throw new SamlError('SAML_DESTINATION', `the message is for ${quote(destination ?? '')}, not for us`);
}

/** The Issuer's text; it must be present and name an entity. */
export function readIssuer(element: XmlElement): string {
  const issuer = findChild(element, ns.saml, 'Issuer');
  if (issuer === undefined) throw new SamlError('SAML_ISSUER', `${element.name} has no Issuer`);
  const format = findAttribute(issuer, 'Format');
  if (format !== undefined && format !== nameIdFormats.entity)
    throw new SamlError('SAML_ISSUER', `the Issuer format ${quote(format)} is not accepted`);
  return textOf(issuer);
}

/** The Issuer must be the identity provider that was asked, byte for byte: no provider speaks for another (CVE-2023-41890). */
export function requireIssuer(element: XmlElement, entityId: string): void {
  const issuer = readIssuer(element);
  if (issuer !== entityId) throw new SamlError('SAML_ISSUER', `${element.name} was issued by ${quote(issuer)}`);
}
