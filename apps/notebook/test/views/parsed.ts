import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { HtmlDocument } from '../../src/views/props.ts';

export type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

/** The document as a browser would read it, so that what the tests see is what the reader gets. */
export class Parsed {
  readonly elements: readonly Element[];

  constructor({ html }: Pick<HtmlDocument, 'html'>) {
    this.elements = collect(parse(html), []);
  }

  all(tag: string): Element[] {
    return this.elements.filter(element => element.tagName === tag);
  }

  one(tag: string, where: (element: Element) => boolean = () => true): Element {
    const found = this.all(tag).filter(where);
    if (found.length !== 1) throw new Error(`expected one <${tag}>, found ${found.length}`);
    return found[0]!;
  }
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find(each => each.name === name)?.value;
}

export function textOf(node: Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** Whether the element lies in the other. */
export function isWithin(element: Element, outer: Element): boolean {
  return collect(outer, []).includes(element);
}

function collect(node: Node, into: Element[]): Element[] {
  if ('tagName' in node) into.push(node);
  if ('childNodes' in node) for (const child of node.childNodes) collect(child, into);
  return into;
}
