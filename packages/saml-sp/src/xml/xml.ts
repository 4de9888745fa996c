import { ParseOption, XmlDocument, XmlElement, XmlText, type XmlTreeNode } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';

/** Limits for one untrusted document. */
export interface XmlLimits {
  /** Bytes of UTF-8. */
  maxBytes: number;
  /** Elements, counted before the document is parsed. */
  maxElements: number;
  /** Attributes of one element, including namespace declarations. */
  maxAttributes: number;
  /** Removes comments before anything is parsed. Never used for messages, only for metadata, which people write by hand. */
  cutComments?: boolean;
}

/** Limits for a protocol message: far above any honest one, far below what costs time. */
export const messageLimits: XmlLimits = { maxBytes: 262_144, maxElements: 5_000, maxAttributes: 100 };

/**
 * One tag of well-formed XML without comments and CDATA. Attribute values contain no `<` there, so no part is scanned again from
 * within another, and the alternatives start differently: it runs in linear time.
 */
const tags = /<[^"'<>]*(?:"[^"<]*"[^"'<>]*|'[^'<]*'[^"'<>]*)*>/g;
// super-linear: anchored, and otherwise as above.
const oneTag = new RegExp(`^${tags.source}`);
const namespaceDeclarations = /\sxmlns(?::([^\s=]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const declaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(["'])([A-Za-z0-9._-]+)\1)?(?:\s+standalone\s*=\s*(["'])(yes|no)\3)?\s*\?>/;
/**
 * An absolute URI of printable ASCII. Relative ones make canonicalization undefined (void canonicalization), and parsers disagree
 * about control characters.
 */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x25\x27-\x3b\x3d\x3f-\x7e]*$/;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/** Decodes bytes as UTF-8 without errors, byte order marks of other encodings, or NUL. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    const text = strictUtf8.decode(bytes);
    if (text.startsWith('\ufeff')) throw new RangeError('two byte order marks');
    return text;
  } catch (cause) {
    throw new SamlError('SAML_XML_BYTES', 'the message is not UTF-8', { cause });
  }
}

/** Removes the XML declaration after checking it. Java writes standalone="no", which has no effect without a DTD. */
function withoutDeclaration(text: string): string {
  if (!text.startsWith('<?')) return text;
  const found = declaration.exec(text);
  const encoding = found?.[2]?.toLowerCase() ?? 'utf-8';
  if (found === null || encoding !== 'utf-8' || found[4] === 'yes') {
    throw new SamlError('SAML_XML_BYTES', 'the XML declaration is not version 1.0 in UTF-8');
  }
  return text.slice(found[0].length);
}

/**
 * Counts elements and checks long tags. In well-formed XML `<` only ever begins a tag, so the text from one to the next contains
 * exactly one tag; other text is left to the parser to refuse.
 */
function requireBoundedTags(text: string, limits: XmlLimits): void {
  let elements = 0;
  for (let at = text.indexOf('<'); at !== -1; ) {
    const next = text.indexOf('<', at + 1);
    const end = next === -1 ? text.length : next;
    if (text.charCodeAt(at + 1) !== 0x2f) elements += 1;
    if (elements > limits.maxElements) throw new SamlError('SAML_XML_MALFORMED', `more than ${limits.maxElements} elements`);
    if (end - at >= limits.maxAttributes * 4) requireSmallTag(text.slice(at, end), limits);
    at = next;
  }
}

function requireSmallTag(segment: string, limits: XmlLimits): void {
  const tag = oneTag.exec(segment)?.[0] ?? segment;
  const unquoted = tag.replace(/"[^"]*"|'[^']*'/g, '');
  if (/[^\s=<>/]{1025}/.test(unquoted)) throw new SamlError('SAML_XML_MALFORMED', 'a name has more than 1,024 characters');
  if (unquoted.split('=').length - 1 > limits.maxAttributes) {
    throw new SamlError('SAML_XML_MALFORMED', `an element has more than ${limits.maxAttributes} attributes`);
  }
}

/** The first namespace in a text that is not an absolute URI; `xmlns=""` resets the default namespace and is allowed. */
function findRelativeNamespace(text: string): string | undefined {
  for (const [, prefix, double, single] of text.matchAll(namespaceDeclarations)) {
    const uri = double ?? single ?? '';
    if (!absoluteUri.test(uri) && !(uri === '' && prefix === undefined)) return uri;
  }
  return undefined;
}

/** Text content may look like a declaration, so a match in the whole text is checked again in the tags alone. */
function requireAbsoluteNamespaces(text: string): void {
  if (findRelativeNamespace(text) === undefined) return;
  for (const [tag] of text.matchAll(tags)) {
    const uri = findRelativeNamespace(tag);
    if (uri !== undefined) throw new SamlError('SAML_XML_BYTES', `the namespace ${quote(uri)} is not an absolute URI`);
  }
}

const malformedComment = (): SamlError => new SamlError('SAML_XML_MALFORMED', 'a comment is in a place where none is allowed');

/** Whether the end of this text, which begins with a tag, is outside that tag. */
const isOutsideTag = (text: string): boolean => oneTag.test(text);

/**
 * Removes comments as canonicalization does, so that the text on both sides becomes one and every parser sees the same. A comment
 * must be well-formed and between tags: removing one from inside a tag would make XML of what is not.
 */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf('<!--'); at !== -1; at = text.indexOf('<!--', from)) {
    const segment = text.slice(from, at);
    const tag = segment.lastIndexOf('<');
    const end = text.indexOf('--', at + 4);
    if ((tag !== -1 && !isOutsideTag(segment.slice(tag))) || end === -1 || text[end + 2] !== '>') throw malformedComment();
    kept.push(segment);
    from = end + 3;
  }
  return from === 0 ? text : kept.join('') + text.slice(from);
}

/**
 * Refuses, before any parser sees it, every construct that parsers disagree about: DOCTYPE, entities, CDATA, comments and
 * processing instructions. They enable text that ends at a comment (CVE-2017-11427), IDs and namespaces from a DTD
 * (CVE-2025-25292) and XXE. In XML without them `<!` and `<?` never occur, so a search is enough.
 */
function requirePlainXml(text: string, limits: XmlLimits): void {
  const at = text.search(/<[!?]/);
  if (at !== -1) throw new SamlError('SAML_XML_DOCTYPE', `${quote(text.slice(at, at + 12))} is not allowed in a SAML message`);
  if (/&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)/.test(text)) {
    throw new SamlError('SAML_XML_DOCTYPE', 'an entity that XML does not define');
  }
  requireBoundedTags(text, limits);
  requireAbsoluteNamespaces(text);
}

/** Parses with every option off: no entities, no network, no recovery, no huge documents (depth 256). */
function parse(text: string): XmlDocument {
  try {
    return XmlDocument.fromBuffer(encoder.encode(text), {
      option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE,
    });
  } catch (cause) {
    throw new SamlError('SAML_XML_MALFORMED', 'the message is not well-formed XML', { cause });
  }
}

/**
 * Parses untrusted bytes to a document, or throws a `SamlError` of step "bytes" or "parse". The caller disposes of it (`using`).
 */
export function parseUntrusted(bytes: Uint8Array, limits: XmlLimits = messageLimits): XmlDocument {
  if (bytes.byteLength > limits.maxBytes) {
    throw new SamlError(
      'SAML_MESSAGE_TOO_LARGE',
      `the message is too large: ${bytes.byteLength} bytes, at most ${limits.maxBytes}`,
    );
  }
  const received = withoutDeclaration(decodeUtf8(bytes));
  const text = limits.cutComments === true ? withoutComments(received) : received;
  requirePlainXml(text, limits);
  return parse(text);
}

/** Parses canonical text, just verified as signed, to a separate document. The caller disposes of it. */
export const parseCanonical = (text: string): XmlDocument => parse(text);

/** Whether this is the element that the standard calls `{namespace}name`. Prefixes never matter. */
export const isNamed = (element: XmlElement, namespace: string, name: string): boolean =>
  element.name === name && element.namespaceUri === namespace;

/** The child elements, in order. Text between them is left to the schema. */
export function childElements(parent: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  for (let node: XmlTreeNode | null = parent.firstChild; node !== null; node = node.next) {
    if (node instanceof XmlElement) found.push(node);
  }
  return found;
}

/** The children with that name: direct children only, never a search through the document. */
export const childrenNamed = (parent: XmlElement, namespace: string, name: string): XmlElement[] =>
  childElements(parent).filter(child => isNamed(child, namespace, name));

/** Finds the children of one element by name. */
export type ChildFinder = (namespace: string, name: string) => readonly XmlElement[];

/** Like `childrenNamed`, for many lookups in one element: its children are walked once. */
export function childFinder(parent: XmlElement): ChildFinder {
  const found = new Map<string, XmlElement[]>();
  for (const child of childElements(parent)) {
    const key = `${child.namespaceUri} ${child.name}`;
    const same = found.get(key);
    if (same === undefined) found.set(key, [child]);
    else same.push(child);
  }
  return (namespace, name) => found.get(`${namespace} ${name}`) ?? [];
}

/** The child of that name, if there is one; two are refused. */
export function findChild(parent: XmlElement, namespace: string, name: string): XmlElement | undefined {
  const [first, second] = childrenNamed(parent, namespace, name);
  if (second !== undefined) throw new SamlError('SAML_STRUCTURE', `more than one ${name} in ${parent.name}`);
  return first;
}

/** The only child of that name; it must be present. */
export function getChild(parent: XmlElement, namespace: string, name: string): XmlElement {
  const child = findChild(parent, namespace, name);
  if (child === undefined) throw new SamlError('SAML_STRUCTURE', `${parent.name} has no ${name}`);
  return child;
}

/** The value of an attribute without a namespace, after XML's normalization. */
export function findAttribute(element: XmlElement, name: string): string | undefined {
  return element.attr(name)?.value;
}

/** The attribute's value; throws when it is missing. */
export function getAttribute(element: XmlElement, name: string): string {
  const value = findAttribute(element, name);
  if (value === undefined) throw new SamlError('SAML_STRUCTURE', `${element.name} has no ${name}`);
  return value;
}

/** All the text of an element that contains only text. Anything else is refused, so that no text is cut off at a comment. */
export function textOf(element: XmlElement): string {
  let text = '';
  for (let node: XmlTreeNode | null = element.firstChild; node !== null; node = node.next) {
    if (!(node instanceof XmlText)) throw new SamlError('SAML_STRUCTURE', `${element.name} contains more than text`);
    text += node.content;
  }
  return text;
}

/** Text without surrounding white space, for URIs and base64; identifiers of people keep theirs. */
export function trimmedTextOf(element: XmlElement): string {
  const text = textOf(element);
  let [start, end] = [0, text.length];
  // Loops, because a regular expression for the end would retry from each space of a run that other text follows.
  while (start < end && isXmlSpace(text[start]!)) start++;
  while (end > start && isXmlSpace(text[end - 1]!)) end--;
  return text.slice(start, end);
}

function isXmlSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}

/** Decodes base64 as in XML Signature: white space anywhere, otherwise canonical (no junk, no missing padding). */
export function base64Of(element: XmlElement): Uint8Array {
  const text = textOf(element).replace(/[ \t\r\n]+/g, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw new SamlError('SAML_SIGNATURE_PROFILE', `${element.name} is not base64`);
  }
  return Buffer.from(text, 'base64');
}

/** Escapes text for XML element content or a double-quoted attribute, so that parsing gives back the same text. */
export function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are exactly the characters XML 1.0 cannot carry.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed()) {
    throw new SamlError('SAML_CONFIG_INVALID', `${quote(text)} cannot be written as XML 1.0`);
  }
  return text.replace(/[&<>"'\t\n\r]/g, found => `&#${found.charCodeAt(0)};`);
}
