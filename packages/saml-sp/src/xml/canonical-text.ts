import { SamlError } from '../errors.ts';

// Works on a canonical form as text. In it, every element has a start tag and an end tag, values are in double quotes, and `<`
// only ever begins a tag (xml-c14n 1.1; comments and processing instructions were refused earlier). So an element can be found
// without parsing the text again.

/** The position of an element in a text: from the `<` of its start tag to just after the `>` of its end tag. */
export interface Span {
  start: number;
  end: number;
}

const isEndTag = (xml: string, at: number): boolean => xml[at + 1] === '/';

/**
 * Finds the child element that has `place` elements before it.
 * @param parent where its parent's start tag begins
 */
export function spanOfChild(xml: string, parent: number, place: number): Span {
  let start = -1;
  let [depth, seen] = [1, 0];
  for (let at = xml.indexOf('<', parent + 1); at !== -1 && depth > 0; at = xml.indexOf('<', at + 1)) {
    if (!isEndTag(xml, at)) {
      if (depth === 1 && seen++ === place) start = at;
      depth += 1;
      continue;
    }
    depth -= 1;
    if (depth === 1 && start !== -1) return { start, end: xml.indexOf('>', at) + 1 };
  }
  throw new SamlError('SAML_CANONICAL_MISMATCH', 'the canonical form does not match the document');
}

/** The text without that span. */
export const cutOut = (xml: string, { start, end }: Span): string => xml.slice(0, start) + xml.slice(end);

const tagName = /<[^\s>]+/y;
const attribute = /\s([^\s=]+)="([^"]*)"/y;

/** The namespaces declared by the start tag at the beginning of a text, by attribute name, as written. */
function declarationsOf(xml: string): Map<string, string> {
  const found = new Map<string, string>();
  tagName.lastIndex = 0;
  tagName.test(xml);
  for (attribute.lastIndex = tagName.lastIndex; ; ) {
    const [written, name = '', value = ''] = attribute.exec(xml) ?? [];
    if (written === undefined) return found;
    if (name === 'xmlns' || name.startsWith('xmlns:')) found.set(name, value);
  }
}

/**
 * An element with the namespaces that the start tags around it declare, so that it can be read on its own.
 * @param around texts that begin with those tags, the outermost first
 */
export function withDeclarations(element: string, around: readonly string[]): string {
  const outside = new Map(around.flatMap(text => [...declarationsOf(text)]));
  for (const own of declarationsOf(element).keys()) outside.delete(own);
  const name = /^<[^\s>]+/.exec(element)?.[0] ?? '';
  const written = [...outside].map(([prefix, uri]) => ` ${prefix}="${uri}"`).join('');
  return name + written + element.slice(name.length);
}

const prefixOf = (name: string): string => (name.includes(':') ? name.slice(0, name.indexOf(':')) : '');

/**
 * The exclusive canonical form of an element on its own, cut out of the canonical form around it, if a single declaration
 * suffices: all its elements have the same prefix, no attribute has one, and nothing in it declares a namespace. Otherwise
 * undefined.
 */
export function standingAlone(element: string, around: readonly string[]): string | undefined {
  const name = /^<([^\s>]+)/.exec(element)?.[1] ?? '';
  const prefix = prefixOf(name);
  const declared = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
  const uri = new Map(around.flatMap(text => [...declarationsOf(text)])).get(declared);
  if (uri === undefined || element.includes(' xmlns') || /\s[^\s"=:]*:[^\s"=]*="/.test(element)) return undefined;
  for (const [, inner = ''] of element.matchAll(/<\/?([^\s>]+)/g)) if (prefixOf(inner) !== prefix) return undefined;
  return `<${name} ${declared}="${uri}"${element.slice(name.length + 1)}`;
}
