import { parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/** Written down apart from the schema: a slip there must not pass here. */
const elements = new Set(
  `a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input
  ins kbd li mark ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt
  ul var wbr`.split(/\s+/),
);
const mathElements = new Set(
  `math semantics annotation mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable
  mtd mtext mtr munder munderover`.split(/\s+/),
);
const mathAttributes =
  /^(?:accent|accentunder|class|columnspan|depth|display|displaystyle|encoding|fence|form|height|largeop|linethickness|lspace|mathbackground|mathcolor|mathsize|mathvariant|maxsize|minsize|movablelimits|rspace|scriptlevel|separator|stretchy|symmetric|voffset|width)$/;
const mathNamespace = 'http://www.w3.org/1998/Math/MathML';
const dangerous =
  /^(?:on|style$|srcdoc$|formaction$|background$|xmlns|xlink|ping$|target$|is$|slot$|part$|popover|contenteditable|autofocus|hidden$|data-(?!footnote))/;
const addresses = new Set(['href', 'src', 'cite', 'longdesc', 'srcset']);
const protocols = new Set(['http:', 'https:', 'mailto:', 'irc:', 'ircs:', 'xmpp:']);
const classes =
  /^(?:anchor|sr-only|footnotes|data-footnote-backref|task-list-item|contains-task-list|markdown-alert(?:-(?:title|note|tip|important|warning|caution))?|math-[a-z-]+|language-.*|hljs-.*|[a-z-]+_)$/;

/** Everything in the html that no rendering may hold, in words; read as the next parser reads it. */
export function forbiddenIn(html: string, { sourceLines = false } = {}): string[] {
  const found: string[] = [];
  const visit = (node: Tree.Node): void => {
    if (node.nodeName === '#comment') found.push('a comment');
    if ('tagName' in node) found.push(...faultsOf(node).filter(fault => !(sourceLines && fault.includes(' data-line='))));
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parseFragment(html));
  return found;
}

function faultsOf(element: Tree.Element): string[] {
  if (element.namespaceURI === mathNamespace) return mathFaultsOf(element);
  const faults: string[] = [];
  if (!elements.has(element.tagName)) faults.push(`<${element.tagName}>`);
  if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml') faults.push(`${element.tagName} in ${element.namespaceURI}`);
  for (const { name, value } of element.attrs) {
    const here = `${element.tagName} ${name}=${JSON.stringify(value)}`;
    if (dangerous.test(name)) faults.push(here);
    if (addresses.has(name) && !isHarmlessAddress(value)) faults.push(here);
    if ((name === 'id' || name === 'name') && !value.startsWith('user-content-')) faults.push(here);
    if (name === 'class' && !value.split(' ').every(one => classes.test(one))) faults.push(here);
    if (name === 'type' && value !== 'checkbox') faults.push(here);
  }
  return faults;
}

function mathFaultsOf(element: Tree.Element): string[] {
  const faults = mathElements.has(element.tagName) ? [] : [`<${element.tagName}> in mathematics`];
  for (const { name, value } of element.attrs)
    if (!mathAttributes.test(name) || !/^[\w#%+./ -]{0,80}$/.test(value))
      faults.push(`${element.tagName} ${name}=${JSON.stringify(value)}`);
  if (element.childNodes.some(child => 'tagName' in child && child.namespaceURI !== mathNamespace))
    faults.push('HTML in mathematics');
  return faults;
}

/** By the parser that browsers use for addresses. One that it refuses goes nowhere. */
function isHarmlessAddress(value: string): boolean {
  const base = 'https://notes.example/n/slug';
  return !URL.canParse(value, base) || protocols.has(new URL(value, base).protocol);
}
