import {
  ParseOption,
  XmlDocument as Xml,
  XmlBufferInputProvider,
  type XmlDocument,
  type XmlElement,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import { SamlError } from '../errors.ts';
import { oneOf, readShape } from '../values/shape.ts';
import { schemaTexts } from './schema-texts.generated.ts';

/** The URLs under which the embedded schemas import each other; nothing else with this scheme is ever answered. */
const scheme = 'octavo-saml-schema:///';

/** The schema files import each other by file name or W3C address; both are turned into URLs of our own. */
const onOurScheme = (text: string): string =>
  text.replace(
    /schemaLocation\s*=\s*["']([^"']+)["']/g,
    (_, location: string) => `schemaLocation="${scheme}${fileOf(location)}"`,
  );

const fileOf = (location: string): string =>
  location === 'http://schemas.xmlsoap.org/soap/envelope/' ? 'soap-envelope.xsd' : location.slice(location.lastIndexOf('/') + 1);

const imports = (namespaces: Readonly<Record<string, string>>): string =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${Object.entries(namespaces)
    .map(([namespace, file]) => `<xs:import namespace="${namespace}" schemaLocation="${scheme}${file}"/>`)
    .join('')}</xs:schema>`;

const signatureAndEncryption = {
  'http://www.w3.org/2000/09/xmldsig#': 'xmldsig-core-schema.xsd',
  'http://www.w3.org/2001/04/xmlenc#': 'xenc-schema.xsd',
  'http://www.w3.org/2009/xmlenc11#': 'xenc11-schema.xsd',
  'urn:oasis:names:tc:SAML:2.0:assertion': 'saml-schema-assertion-2.0.xsd',
};

const roots = {
  protocol: imports({ ...signatureAndEncryption, 'urn:oasis:names:tc:SAML:2.0:protocol': 'saml-schema-protocol-2.0.xsd' }),
  metadata: imports({
    ...signatureAndEncryption,
    'http://www.w3.org/XML/1998/namespace': 'xml.xsd',
    'urn:oasis:names:tc:SAML:2.0:metadata': 'saml-schema-metadata-2.0.xsd',
    'urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol': 'sstc-saml-idp-discovery.xsd',
    'urn:oasis:names:tc:SAML:metadata:algsupport': 'sstc-saml-metadata-algsupport-v1.0.xsd',
  }),
  soap: imports({
    ...signatureAndEncryption,
    'urn:oasis:names:tc:SAML:2.0:protocol': 'saml-schema-protocol-2.0.xsd',
    'http://schemas.xmlsoap.org/soap/envelope/': 'soap-envelope.xsd',
    'urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp': 'saml-schema-ecp-2.0.xsd',
  }),
};

/** Which set of the standard's schemas a document is validated against. */
export type SchemaSet = keyof typeof roots;

let provided = false;

/** libxml2 asks its providers for every import; ours answers from memory, and only for our own scheme. */
function provideSchemas(): void {
  if (provided) return;
  const encoder = new TextEncoder();
  const files = Object.entries(schemaTexts).map(([name, text]) => [scheme + name, encoder.encode(onOurScheme(text))] as const);
  xmlRegisterInputProvider(new XmlBufferInputProvider(Object.fromEntries(files)));
  provided = true;
}

const setReader = oneOf('protocol', 'metadata', 'soap');
const compiled = new Map<SchemaSet, XsdValidator>();

/**
 * Compiles a schema set before its first use (about 10 ms each); `validateAgainstSchema` does it on demand. The compiled form is
 * kept for the life of the process: it is the same for everyone and never changes.
 * @example compileSchemas('protocol')
 */
export function compileSchemas(set: SchemaSet): XsdValidator {
  const known = compiled.get(set);
  if (known !== undefined) return known;
  readShape(set, 'set', setReader);
  provideSchemas();
  const document = Xml.fromString(roots[set], { option: ParseOption.XML_PARSE_NONET, url: `${scheme}${set}.xsd` });
  try {
    const validator = XsdValidator.fromDoc(document);
    compiled.set(set, validator);
    return validator;
  } finally {
    document.dispose();
  }
}

/**
 * Validates a document against the standard's own schemas (saml-core-2.0 1.3, 3; saml-metadata-2.0).
 * @throws SamlError `SAML_SCHEMA_INVALID`, its message naming the first violation.
 */
export function validateAgainstSchema(document: XmlDocument | XmlElement, set: SchemaSet): void {
  try {
    compileSchemas(set).validate(document as XmlDocument);
  } catch (cause) {
    const first = cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : String(cause);
    throw new SamlError('SAML_SCHEMA_INVALID', `the document is not valid against the standard's schema: ${first.slice(0, 300)}`);
  }
}
