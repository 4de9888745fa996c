import type { XmlElement } from 'libxml2-wasm';
import { SamlError } from '../errors.ts';
import { holding, listOf, type Reader, readShape, text } from '../values/shape.ts';
import { canonicalForm } from '../xml/canonical-form.ts';
import { ns } from '../xml/names.ts';
import { childElements, childrenNamed, findAttribute, findChild, getAttribute, textOf } from '../xml/xml.ts';

/** One attribute of the person. Decide by `name`; `friendlyName` is for people to read only (IIP-SP11). */
export interface SamlAttribute {
  name: string;
  nameFormat: string | undefined;
  friendlyName: string | undefined;
  /** Text values, exactly as signed. */
  values: string[];
  /** XML values (eduPersonTargetedID holds a NameID), in canonical form. */
  structuredValues: string[];
}

function readAttribute(element: XmlElement): SamlAttribute {
  const values = childrenNamed(element, ns.saml, 'AttributeValue');
  const isText = (value: XmlElement): boolean => childElements(value).length === 0;
  return {
    name: getAttribute(element, 'Name'),
    nameFormat: findAttribute(element, 'NameFormat'),
    friendlyName: findAttribute(element, 'FriendlyName'),
    values: values.filter(isText).map(textOf),
    structuredValues: values.filter(value => !isText(value)).map(value => canonicalForm(value)),
  };
}

/** All attributes of an assertion, in order. Those that were not requested are kept (IIP-SP10). */
export function readAttributes(assertion: XmlElement): SamlAttribute[] {
  const statements = childrenNamed(assertion, ns.saml, 'AttributeStatement');
  for (const statement of statements) {
    if (findChild(statement, ns.saml, 'EncryptedAttribute') !== undefined) {
      throw new SamlError('SAML_STRUCTURE', 'EncryptedAttribute is not supported; encrypt the assertion');
    }
  }
  return statements.flatMap(statement => childrenNamed(statement, ns.saml, 'Attribute').map(readAttribute));
}

const anyText = text('a string', () => true);
/** Attributes as a sign-in returns them, possibly from a store. */
export const attributesReader = listOf(
  holding({ name: anyText, values: listOf(anyText, 'strings', Number.POSITIVE_INFINITY) }),
  'attributes',
  Number.POSITIVE_INFINITY,
) as Reader<unknown> as Reader<readonly SamlAttribute[]>;

/**
 * The text values of all attributes with that name.
 * @example attributeValues(identity.attributes, 'urn:oid:0.9.2342.19200300.100.1.3')
 */
export const attributeValues = (attributes: readonly SamlAttribute[], name: string): string[] => {
  readShape(name, 'name', text());
  return readShape(attributes, 'attributes', attributesReader)
    .filter(attribute => attribute.name === name)
    .flatMap(attribute => attribute.values);
};
