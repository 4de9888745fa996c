import type { Element, ElementContent, Root } from 'hast';
import { type DefaultTreeAdapterMap, defaultTreeAdapter, html as parse5Names, serialize, type TreeAdapter } from 'parse5';
import { find, html } from 'property-information';

type Node = Root | Element | ElementContent;
type Attribute = { name: string; value: string };

const attributeOf = new Map<string, { name: string; commas: boolean }>();

function describe(property: string): { name: string; commas: boolean } {
  let known = attributeOf.get(property);
  if (!known) {
    const info = find(html, property);
    known = { name: info.attribute, commas: info.commaSeparated || info.commaOrSpaceSeparated };
    // Marks have ever new names, which are not worth caching.
    if (!property.startsWith('data')) attributeOf.set(property, known);
  }
  return known;
}

function attributesOf(node: Element): Attribute[] {
  const attributes: Attribute[] = [];
  for (const [property, value] of Object.entries(node.properties)) {
    // The sanitizer leaves an empty list if it removed every class.
    if (value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)) continue;
    const { name, commas } = describe(property);
    if (value === true) attributes.push({ name, value: '' });
    else attributes.push({ name, value: Array.isArray(value) ? value.join(commas ? ', ' : ' ') : String(value) });
  }
  return attributes;
}

/** The tree adapter that parse5's serializer needs for our tree. */
const adapter = {
  isElementNode: (node: Node) => node.type === 'element',
  isTextNode: (node: Node) => node.type === 'text',
  isCommentNode: () => false,
  isDocumentTypeNode: () => false,
  getNamespaceURI: () => parse5Names.NS.HTML,
  getTagName: (node: Element) => node.tagName,
  getAttrList: attributesOf,
  getChildNodes: (node: Root | Element) => node.children,
  getParentNode: () => null,
  getTextNodeContent: (node: { value: string }) => node.value,
} as unknown as TreeAdapter<DefaultTreeAdapterMap>;

/** Serializes the tree as the HTML standard defines, with parse5's serializer. */
export function toHtml(tree: Root): string {
  return serialize(tree as unknown as DefaultTreeAdapterMap['parentNode'], {
    treeAdapter: { ...defaultTreeAdapter, ...adapter },
  });
}
