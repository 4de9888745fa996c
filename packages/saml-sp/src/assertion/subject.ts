import type { XmlElement } from 'libxml2-wasm';
import { SamlError } from '../errors.ts';
import { type DecryptionPolicy, decryptWrapped } from '../keys/encryption.ts';
import { holding, readShape, text } from '../values/shape.ts';
import { parseInContext } from '../xml/decrypted-context.ts';
import { nameIdFormats, ns } from '../xml/names.ts';
import { validateAgainstSchema } from '../xml/schema.ts';
import { childElements, findAttribute, findChild, isNamed, textOf } from '../xml/xml.ts';

/** The person's identifier at one identity provider (saml-core-2.0 2.2.3). Compared exactly, including qualifiers. */
export interface NameId {
  /** The identifier: 1 to 1024 characters, exactly as it was signed. */
  value: string;
  /** A URI; undefined when the provider named none, which means `unspecified`. */
  format: string | undefined;
  nameQualifier: string | undefined;
  spNameQualifier: string | undefined;
  spProvidedId: string | undefined;
}

/** Reads a NameID. Its value is the whole text: no trimming, and not just the first node. */
export function readNameId(element: XmlElement): NameId {
  const value = textOf(element);
  if (value.trim() === '' || [...value].length > 1024)
    throw new SamlError('SAML_SUBJECT', 'NameID is empty or longer than 1024 characters');
  return {
    value,
    format: findAttribute(element, 'Format'),
    nameQualifier: findAttribute(element, 'NameQualifier'),
    spNameQualifier: findAttribute(element, 'SPNameQualifier'),
    spProvidedId: findAttribute(element, 'SPProvidedID'),
  };
}

/** Decrypts an EncryptedID and checks its contents by the same rules as a plain NameID. */
function readEncryptedId(wrapper: XmlElement, policy: DecryptionPolicy): NameId {
  using document = parseInContext(decryptWrapped(wrapper, policy).bytes, wrapper).document;
  validateAgainstSchema(document, 'protocol');
  if (!isNamed(document.root, ns.saml, 'NameID')) throw new SamlError('SAML_SUBJECT', 'EncryptedID does not contain a NameID');
  return readNameId(document.root);
}

/**
 * The NameID, plain or encrypted, that an element has as a direct child; undefined when there is none (SDP-SP13: the subject may
 * be named by an attribute alone).
 */
export function findNameId(holder: XmlElement, policy: DecryptionPolicy): NameId | undefined {
  const identifiers = childElements(holder).filter(child => /^(?:NameID|EncryptedID|BaseID)$/.test(child.name));
  if (identifiers.length > 1) throw new SamlError('SAML_SUBJECT', 'the subject has two identifiers');
  const [identifier] = identifiers;
  if (identifier === undefined) return undefined;
  if (isNamed(identifier, ns.saml, 'NameID')) return readNameId(identifier);
  if (isNamed(identifier, ns.saml, 'EncryptedID')) return readEncryptedId(identifier, policy);
  throw new SamlError('SAML_SUBJECT', 'a subject identified by BaseID is not supported');
}

const nameIdReader = holding({ value: text() });

const formatOf = (nameId: NameId): string => nameId.format ?? nameIdFormats.unspecified;

/**
 * Whether they are the same subject. Absent qualifiers match only absent ones; an absent format is `unspecified`.
 * @example sessions.filter(session => isSameNameId(session.nameId, received.nameId))
 */
export const isSameNameId = (left: NameId, right: NameId): boolean => {
  // Two without a value would be equal.
  readShape(left, 'left', nameIdReader);
  readShape(right, 'right', nameIdReader);
  return (
    left.value === right.value &&
    formatOf(left) === formatOf(right) &&
    left.nameQualifier === right.nameQualifier &&
    left.spNameQualifier === right.spNameQualifier
  );
};

/** The Subject of an assertion, which must be present. */
export function getSubject(assertion: XmlElement): XmlElement {
  const subject = findChild(assertion, ns.saml, 'Subject');
  if (subject === undefined) throw new SamlError('SAML_SUBJECT', 'the assertion has no Subject');
  return subject;
}
