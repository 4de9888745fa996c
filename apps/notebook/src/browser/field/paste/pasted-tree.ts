import type { DefaultTreeAdapterMap } from 'parse5';

export type PastedNode = DefaultTreeAdapterMap['childNode'];
export type PastedElement = DefaultTreeAdapterMap['element'];

export const isElement = (node: PastedNode): node is PastedElement => 'tagName' in node;

export const isText = (node: PastedNode): node is DefaultTreeAdapterMap['textNode'] => node.nodeName === '#text';

export function attributeOf(element: PastedElement, name: string): string {
  return element.attrs.find(attribute => attribute.name === name)?.value ?? '';
}

/** The value of a property in the `style` attribute, in lowercase. */
export function styleOf(element: PastedElement, property: string): string {
  const style = attributeOf(element, 'style');
  if (!style.includes(':')) return '';
  let declarations = styles.get(element);
  if (!declarations) {
    declarations = readStyle(style);
    styles.set(element, declarations);
  }
  return declarations.get(property) ?? '';
}

const styles = new WeakMap<PastedElement, Map<string, string>>();

function readStyle(style: string): Map<string, string> {
  const declarations = style.toLowerCase().split(';');
  return new Map(
    declarations.map(declaration => {
      const colon = declaration.indexOf(':');
      return [declaration.slice(0, Math.max(0, colon)).trim(), declaration.slice(colon + 1).trim()];
    }),
  );
}

export const childElements = (node: PastedElement): PastedElement[] => node.childNodes.filter(isElement);

/** Finds the first matching element inside, not counting the element itself. Not recursive, because hostile trees are deep. */
export function findInside(element: PastedElement, match: (inner: PastedElement) => boolean): PastedElement | undefined {
  const waiting: PastedNode[] = [...element.childNodes];
  for (let node = waiting.shift(); node; node = waiting.shift()) {
    if (!isElement(node)) continue;
    if (match(node)) return node;
    waiting.unshift(...node.childNodes);
  }
  return undefined;
}

/** All text inside, unchanged, with `<br>` as a line feed. Not recursive either. */
export function textInside(node: PastedNode): string {
  const waiting: PastedNode[] = [node];
  let text = '';
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (isText(next)) text += next.value;
    else if (isElement(next)) {
      if (next.tagName === 'br') text += '\n';
      if (!unread.has(next.tagName)) for (const child of next.childNodes.toReversed()) waiting.push(child);
    }
  }
  return text;
}

/** Elements whose content is no text of the page: scripts and the like, controls, drawings. */
export const unread: ReadonlySet<string> = new Set(
  (
    'audio button canvas clipboard-copy colgroup dialog embed frame frameset head iframe link map math meta noembed noframes ' +
    'noscript object option script select style svg template textarea title video'
  ).split(' '),
);

export const blockTags: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);
