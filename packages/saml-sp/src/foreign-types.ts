import { type XmlDocument, XmlElement, XmlXPath } from 'libxml2-wasm';
import { ns } from './names.ts';
import { isNamed, parseUntrusted, type XmlLimits } from './xml.ts';

const ours = new Set<string>([...Object.values(ns), 'http://www.w3.org/2001/XMLSchema', 'http://www.w3.org/XML/1998/namespace']);
let values: XmlXPath | undefined;

/** Does this AttributeValue name a type of a schema that is not here? A prefix that nobody declared names nothing. */
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
 * The document to hold to the schema: an AttributeValue may have a type out of a schema that nobody here has (eIDAS). Its
 * content may be anything, so in a copy that is only validated the name of that type is left out. Everywhere else an
 * unknown type is refused as before: a Condition of an unknown type must not pass for none.
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
