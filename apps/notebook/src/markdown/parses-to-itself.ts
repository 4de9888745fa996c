import type { Element, Root, RootContent } from 'hast';
import { stepProperties, writtenProperties } from './schema.ts';

/**
 * Which trees the HTML parser reads back as they are, from the standard's tree construction (§13.2.6). The proof is by induction: before
 * each start tag the parser's open elements are exactly the element's ancestors, and its active formatting elements are exactly those of
 * them that format. Then nothing is implied, reopened or moved if no start tag closes an ancestor, and every end tag closes the current
 * element. What is not listed here is not known to be safe.
 */
interface Rule {
  /** `parts`: only white space and elements that name this one as their parent. */
  readonly content: 'any' | 'parts' | 'nothing';
  /** Default: every parent whose content is `any`. */
  readonly parents?: readonly string[];
  /** Ancestors that the start tag could close, as bits. */
  readonly bars: number;
  /** The element's own bit. */
  readonly bit: number;
}

/** A start tag of a block closes it, whatever is between them ("close a p element"). */
const paragraph = 1;
/** A heading closes a heading. */
const heading = 2;
/** An `a` closes an `a`, and the parser keeps at most three equal ones of the others ("Noah's Ark"). */
const formatting = 'a b code em i s small strike strong tt'.split(' ');

const rules = new Map<string, Rule>();

function add(names: string, rule: Partial<Rule>): void {
  for (const name of names.split(' ')) rules.set(name, { content: 'any', bars: 0, bit: 0, ...rule });
}

add('abbr bdi bdo cite del dfn ins kbd mark picture q ruby samp span sub sup time var', {});
for (const [at, name] of formatting.entries()) add(name, { bars: 4 << at, bit: 4 << at });
add('br img input source wbr', { content: 'nothing' });
add('blockquote details div dl figcaption figure ol pre section summary ul', { bars: paragraph });
add('hr', { content: 'nothing', bars: paragraph });
add('p', { bars: paragraph, bit: paragraph });
add('h1 h2 h3 h4 h5 h6', { bars: paragraph | heading, bit: heading });
// These close open elements of their kind, up to the parent they name.
add('li', { parents: ['ol', 'ul'], bars: paragraph });
add('dd dt', { parents: ['dl'], bars: paragraph });
add('rp rt', { parents: ['ruby'] });
// Text between the parts of a table is put before the table, and missing parts are added.
add('table', { content: 'parts', bars: paragraph });
add('colgroup tbody tfoot thead', { content: 'parts', parents: ['table'] });
add('caption', { parents: ['table'] });
add('col', { content: 'nothing', parents: ['colgroup'] });
add('tr', { content: 'parts', parents: ['tbody', 'tfoot', 'thead'] });
add('td th', { parents: ['tr'] });

/** Each has a plain attribute name of its own, so that none is cut or dropped as a duplicate. */
const properties: ReadonlySet<string> = new Set([...writtenProperties, ...stepProperties]);

const root: Rule = { content: 'any', bars: 0, bit: 0 };
/** White space, as the table parser reads it. */
const space = /^[\t\n\f ]*$/;

/**
 * Whether parsing this tree's HTML certainly gives the tree again, in any place where a block may stand. False means nothing: then it
 * must be tried (settle.ts).
 */
export function parsesToItself(tree: Root, html: string): boolean {
  // The parser drops or replaces the first two, and lone surrogates do not survive being sent.
  if (html.includes('\0') || html.includes('\r') || !html.isWellFormed()) return false;
  return areKept(tree.children, root, '', 0);
}

function areKept(children: readonly RootContent[], parent: Rule, parentName: string, ancestors: number): boolean {
  for (const child of children) {
    if (child.type === 'text') {
      if (parent.content === 'parts' && !space.test(child.value)) return false;
    } else if (child.type !== 'element' || !isKept(child, parent, parentName, ancestors)) return false;
  }
  return true;
}

function isKept(element: Element, parent: Rule, parentName: string, ancestors: number): boolean {
  const rule = rules.get(element.tagName);
  if (!rule || (rule.bars & ancestors) !== 0) return false;
  if (rule.parents ? !rule.parents.includes(parentName) : parent.content !== 'any') return false;
  for (const name in element.properties) if (!properties.has(name)) return false;
  if (rule.content === 'nothing') return element.children.length === 0;
  if (element.tagName === 'pre' && losesLineBreak(element)) return false;
  return areKept(element.children, rule, element.tagName, ancestors | rule.bit);
}

/** The parser drops a line break right after `<pre>`. */
function losesLineBreak({ children }: Element): boolean {
  const first = children.find(child => child.type !== 'text' || child.value !== '');
  return first?.type === 'text' && first.value.startsWith('\n');
}
