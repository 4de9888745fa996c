import type { Element, ElementContent, Root, RootContent } from 'hast';

export type Parent = Root | Element;

/** Visits every element, parents first, with its ancestors (nearest last). Elements that `visit` inserts into one are visited too. */
export function visitElements(tree: Root, visit: (element: Element, ancestors: readonly Parent[]) => void): void {
  const ancestors: Parent[] = [];
  // Recursion is safe, because parsing limited the depth.
  const enter = (parent: Parent): void => {
    ancestors.push(parent);
    for (const child of parent.children) {
      if (child.type !== 'element') continue;
      visit(child, ancestors);
      enter(child);
    }
    ancestors.pop();
  };
  enter(tree);
}

export function isInside(ancestors: readonly Parent[], tagName: string): boolean {
  return ancestors.some(ancestor => ancestor.type === 'element' && ancestor.tagName === tagName);
}

export function textOf(node: Root | RootContent): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

export function element(tagName: string, properties: Element['properties'], children: ElementContent[] = []): Element {
  return { type: 'element', tagName, properties, children };
}

export function text(value: string): ElementContent {
  return { type: 'text', value };
}
