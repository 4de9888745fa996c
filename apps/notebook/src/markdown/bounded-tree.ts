import { defaultTreeAdapter, html as parse5Names, parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { OverBound, renderBounds } from './bounds.ts';

type Adapter = typeof defaultTreeAdapter;

/**
 * The parser reads a page as what stands in this element. Without one it would read it as a `<template>`, where parts of a table may stand
 * alone: a page that begins with `<col>` would lose all its words, because a column has no text.
 */
export const pageElement: Tree.Element = defaultTreeAdapter.createElement('div', parse5Names.NS.HTML, []);

/**
 * Parses a fragment and stops as soon as the tree becomes deeper or larger than a page may be. The parser's own work grows
 * with the depth of open elements, so checking the finished tree would be too late.
 */
export function parseBounded(html: string): Tree.DocumentFragment {
  return parseFragment(pageElement, html, { treeAdapter: boundedAdapter(), scriptingEnabled: false });
}

/**
 * HTML allows tag names like `template#` or `a.b`, which the step after the parser would read as selectors for another element.
 * No schema has such a name, so an element with a replaced name is removed all the same.
 */
function plainName(name: string): string {
  return name.includes('#') || name.includes('.') ? name.replace(/[#.]/g, '-') : name;
}

/** The depth is kept on the node, which is faster than in a map beside the tree. */
interface Deep {
  depth?: number;
}

function boundedAdapter(): Adapter {
  let elements = 0;
  const sink = (parent: Deep, child: Deep): void => {
    child.depth = (parent.depth ?? 0) + 1;
    if (child.depth > renderBounds.treeDepth) throw new OverBound('nesting');
  };
  return {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      elements += 1;
      if (elements > renderBounds.elements) throw new OverBound('output');
      return defaultTreeAdapter.createElement(plainName(name), namespace, attributes);
    },
    appendChild(parent, child) {
      sink(parent as Deep, child as Deep);
      defaultTreeAdapter.appendChild(parent, child);
    },
    insertBefore(parent, child, reference) {
      sink(parent as Deep, child as Deep);
      defaultTreeAdapter.insertBefore(parent, child, reference);
    },
  };
}
