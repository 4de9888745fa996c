import type { Element, ElementContent, Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { htmlTagNames } from 'html-tag-names';
import { html as parse5Names, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/**
 * The parser makes a new string of each name. All steps after it compare names, which is faster where equal names are the same string.
 */
const names = new Map(htmlTagNames.map(name => [name, name]));

/**
 * The parser's tree as the sanitizer reads it. hast-util-from-parse5 would make the same, but it reads each name as a selector and
 * expects anything as content. Most elements have no attributes and are HTML, and need none of that.
 */
export function treeOf(fragment: Tree.DocumentFragment): Root {
  return { type: 'root', children: contentOf(fragment) };
}

/** Recursion is safe, because parsing limited the depth. Comments are left out, because the sanitizer would drop them. */
function contentOf({ childNodes }: Tree.ParentNode): ElementContent[] {
  const content: ElementContent[] = [];
  for (const node of childNodes) {
    if ('tagName' in node) content.push(elementOf(node));
    else if ('value' in node) content.push({ type: 'text', value: node.value });
  }
  return content;
}

function elementOf(node: Tree.Element): Element {
  const children = contentOf(node);
  if (node.attrs.length === 0 && node.namespaceURI === parse5Names.NS.HTML)
    return { type: 'element', tagName: names.get(node.tagName) ?? node.tagName.toLowerCase(), properties: {}, children };
  const element = fromParse5({ ...node, childNodes: [] }) as Element;
  element.tagName = names.get(element.tagName) ?? element.tagName;
  element.children = children;
  return element;
}
