import { type C14NOptions, XmlC14NMode, type XmlDocument, type XmlElement, type XmlOutputBufferHandler } from 'libxml2-wasm';
import { SamlError } from '../errors.ts';

/** Collects bytes. Text is decoded once at the end, so a character that spans two chunks stays whole. */
class Octets implements XmlOutputBufferHandler {
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

function write(document: XmlDocument, options: C14NOptions, handler: XmlOutputBufferHandler): void {
  try {
    document.canonicalize(handler, options);
  } catch (cause) {
    throw new SamlError('SAML_CANONICAL_MISMATCH', 'the element cannot be canonicalized', { cause });
  }
}

function canonicalize(document: XmlDocument, options: C14NOptions): string {
  const octets = new Octets();
  write(document, options, octets);
  const { text } = octets;
  // A canonicalization that fails halfway must never become a digest over nothing ("void canonicalization", CVE-2025-66568).
  if (!text.startsWith('<') || !text.endsWith('>')) throw new SamlError('SAML_CANONICAL_MISMATCH', 'the canonical form is empty');
  return text;
}

const exclusive = (prefixes: readonly string[]): C14NOptions => ({
  mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0,
  ...(prefixes.length === 0 ? {} : { inclusiveNamespacePrefixes: [...prefixes] }),
});

/**
 * The exclusive canonical form (xml-exc-c14n) of an element and everything below it, by libxml2.
 * @param prefixes the PrefixList of `InclusiveNamespaces`
 */
export const canonicalForm = (element: XmlElement, prefixes: readonly string[] = []): string =>
  element.parent === null
    ? canonicalDocument(element.doc, prefixes)
    : canonicalize(element.doc, { ...exclusive(prefixes), nodeSet: new Set([element]) });

/** The same for a whole document, which is much faster because nothing is left out. The document holds nothing but its root. */
export const canonicalDocument = (document: XmlDocument, prefixes: readonly string[] = []): string =>
  canonicalize(document, exclusive(prefixes));

/** Whether the text is the document's canonical form. Compared byte by byte while it is written, so no second text is created. */
export function isCanonicalForm(document: XmlDocument, text: string, prefixes: readonly string[] = []): boolean {
  const expected = Buffer.from(text);
  let [at, same] = [0, true];
  write(document, exclusive(prefixes), {
    write: chunk => {
      same &&= expected.subarray(at, at + chunk.byteLength).equals(chunk);
      at += chunk.byteLength;
      return chunk.byteLength;
    },
    close: () => true,
  });
  return same && at === expected.byteLength;
}

/** Inclusive canonical form: includes every namespace in scope, so that a message can be taken out of its SOAP envelope. */
export const inclusiveForm = (element: XmlElement): string =>
  canonicalize(element.doc, { mode: XmlC14NMode.XML_C14N_1_0, nodeSet: new Set([element]) });
