import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { SamlError } from '../errors.ts';
import { escapeXml, parseUntrusted } from './xml.ts';

/** The parsed plaintext; `text` is what was parsed. */
export interface InContext {
  document: XmlDocument;
  text: Uint8Array;
}

/** The start tag of the root, up to the end of its name. */
const rootName = /^\s*<(?:([^\s:<>/="'?!]+):)?[^\s:<>/="'?!]+/;

/** Every prefix in scope at an element, with its innermost declaration; the default namespace has an empty name. */
function namespacesInScope(element: XmlElement): Map<string, string> {
  const found = new Map<string, string>();
  for (let at: XmlElement | null = element; at !== null; at = at.parent)
    for (const [prefix, uri] of Object.entries(at.nsDeclarations)) if (!found.has(prefix)) found.set(prefix, uri);
  return found;
}

/** Adds the declarations that are in scope outside to the root's start tag, except those that it makes itself. */
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
 * Parses what was decrypted. The plaintext replaces its EncryptedData (xmlenc-core 4.2), so it may use prefixes declared outside.
 * On its own it would then not be well-formed, or be in no namespace, so it is parsed again with those declarations.
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
