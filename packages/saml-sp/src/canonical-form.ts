import { type C14NOptions, XmlC14NMode, type XmlDocument, type XmlElement } from 'libxml2-wasm';
import { SamlError } from './errors.ts';

/** Collects octets: text is decoded once at the end, so a character that spans two chunks stays whole. */
class Octets {
  readonly #chunks: Buffer[] = [];

  write(chunk: Uint8Array): number {
    this.#chunks.push(Buffer.from(chunk));
    return chunk.byteLength;
  }

  close(): boolean {
    return true;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

function canonicalize(document: XmlDocument, options: C14NOptions): string {
  const octets = new Octets();
  try {
    document.canonicalize(octets, options);
  } catch (cause) {
    throw new SamlError('SAML_CANONICAL_MISMATCH', 'the element has no canonical form', { cause });
  }
  const { text } = octets;
  // A canonicalization that fails half way must never become a digest over nothing ("void canonicalization", CVE-2025-66568).
  if (!text.startsWith('<') || !text.endsWith('>')) throw new SamlError('SAML_CANONICAL_MISMATCH', 'the canonical form is empty');
  return text;
}

const exclusive = (prefixes: readonly string[]): C14NOptions => ({
  mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0,
  ...(prefixes.length === 0 ? {} : { inclusiveNamespacePrefixes: [...prefixes] }),
});

/**
 * Exclusive canonical form (xml-exc-c14n) of an element and all below it, by libxml2.
 * @param prefixes the PrefixList of `InclusiveNamespaces`
 */
export const canonicalForm = (element: XmlElement, prefixes: readonly string[] = []): string =>
  element.parent === null
    ? canonicalDocument(element.doc, prefixes)
    : canonicalize(element.doc, { ...exclusive(prefixes), nodeSet: new Set([element]) });

/** The same of a whole document, which is much quicker: nothing needs to be left out. It holds nothing but its root. */
export const canonicalDocument = (document: XmlDocument, prefixes: readonly string[] = []): string =>
  canonicalize(document, exclusive(prefixes));

/** Inclusive canonical form: carries every namespace in scope along, to lift a message out of its SOAP envelope. */
export const inclusiveForm = (element: XmlElement): string =>
  canonicalize(element.doc, { mode: XmlC14NMode.XML_C14N_1_0, nodeSet: new Set([element]) });
