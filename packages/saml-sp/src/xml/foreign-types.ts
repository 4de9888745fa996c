import { type XmlDocument, XmlElement, XmlXPath } from 'libxml2-wasm';
import { ns } from './names.ts';
import { isNamed, parseUntrusted, type XmlLimits } from './xml.ts';

const ours = new Set<string>([...Object.values(ns), 'http://www.w3.org/2001/XMLSchema', 'http://www.w3.org/XML/1998/namespace']);
let values: XmlXPath | undefined;

/** Whether this AttributeValue names a type from a schema that we do not have. An undeclared prefix names nothing. */
function hasForeignType(value: XmlElement): boolean {
  const type = value.attrs.find(one => one.name === 'type' && one.namespaceUri === ns.xsi)?.value.trim() ?? '';
  const [prefix = '', name] = type.split(':');
  const namespace = name === undefined ? null : value.namespaceForPrefix(prefix);
  return namespace !== null && namespace !== '' && !ours.has(namespace);
}

function typedValues(document: XmlDocument): XmlElement[] {
  values ??= XmlXPath.compile("//*[local-name()='AttributeValue']");
  return document.root
    .find(values)
    .filter((node): node is XmlElement => node instanceof XmlElement && isNamed(node, ns.saml, 'AttributeValue'))
    .filter(hasForeignType);
}

/**
 * The document to validate: an AttributeValue may have a type from a schema that we do not have (eIDAS). Its content may be
 * anything, so the name of that type is removed in a copy that is used only for validation. Everywhere else an unknown type is
 * still refused: a Condition of an unknown type must not be ignored.
 */
export function withoutForeignTypes(document: XmlDocument, bytes: Uint8Array, limits?: XmlLimits): XmlDocument | undefined {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ns.xsi)) return undefined;
  if (typedValues(document).length === 0) return undefined;
  const copy = parseUntrusted(bytes, limits);
  for (const value of typedValues(copy)) {
    value.attrs.find(one => one.name === 'type' && one.namespaceUri === ns.xsi)?.remove();
  }
  return copy;
}
