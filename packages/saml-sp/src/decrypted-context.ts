import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { SamlError } from './errors.ts';
import { escapeXml, parseUntrusted } from './xml.ts';

/** What was decrypted, parsed; `text` is what was parsed. */
export interface InContext {
  document: XmlDocument;
  text: Uint8Array;
}

/** The start tag of the root, up to the end of its name. */
const rootName = /^\s*<(?:([^\s:<>/="'?!]+):)?[^\s:<>/="'?!]+/;

/** Every prefix that is in scope where an element stands, the innermost declaration of each; the default one has no name. */
function namespacesInScope(element: XmlElement): Map<string, string> {
  const found = new Map<string, string>();
  for (let at: XmlElement | null = element; at !== null; at = at.parent)
    for (const [prefix, uri] of Object.entries(at.nsDeclarations)) if (!found.has(prefix)) found.set(prefix, uri);
  return found;
}

/** Writes the declarations that are in scope outside, and that the root does not make itself, into its start tag. */
function declareOutside(text: string, outside: XmlElement): string | undefined {
  const found = rootName.exec(text);
  if (found === null) return undefined;
  const tag = /^[^>]*/.exec(text.slice(found[0].length))?.[0] ?? '';
  const own = new Set([...tag.matchAll(/\s(xmlns(?::[^\s=]+)?)\s*=/g)].map(([, name]) => name));
  const missing = [...namespacesInScope(outside)].filter(
    ([prefix, uri]) => uri !== '' && prefix !== 'xml' && !own.has(prefix === '' ? 'xmlns' : `xmlns:${prefix}`),
  );
  const declarations = missing.map(([prefix, uri]) => ` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapeXml(uri)}"`).join('');
  return found[0] + declarations + text.slice(found[0].length);
}

/**
 * Parses what was decrypted. Plaintext takes the place of its EncryptedData (xmlenc-core 4.2), so it may use prefixes that
 * are declared outside; on its own it is not well-formed then, or in no namespace, and it is read once more with them.
 */
export function parseInContext(bytes: Uint8Array, outside: XmlElement): InContext {
  const text = Buffer.from(bytes).toString('utf8');
  const unqualified = rootName.exec(text)?.[1] === undefined && !/^\s*<[^>]*\sxmlns\s*=/.test(text);
  try {
    const document = parseUntrusted(bytes);
    if (!unqualified) return { document, text: bytes };
    document.dispose();
  } catch (error) {
    if (!(error instanceof SamlError) || error.code !== 'SAML_XML_MALFORMED') throw error;
  }
  const whole = declareOutside(text, outside);
  const read = whole === undefined ? bytes : Buffer.from(whole);
  return { document: parseUntrusted(read), text: read };
}
