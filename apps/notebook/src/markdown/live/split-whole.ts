import { defaultTreeAdapter, parseFragment, serialize, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/** Splits a fully rendered page into parts: each is a top-level element with the text after it, its line marks counted from the part. */
export function splitWhole(html: string): { html: string; line: number }[] {
  const parts: { html: string; line: number }[] = [];
  let nodes: Tree.ChildNode[] = [];
  const end = (): void => {
    if (nodes.length === 0) return;
    const line = recount(nodes);
    const fragment = defaultTreeAdapter.createDocumentFragment();
    for (const node of nodes) defaultTreeAdapter.appendChild(fragment, node);
    parts.push({ html: serialize(fragment), line: line ?? parts.at(-1)?.line ?? 1 });
    nodes = [];
  };
  for (const node of [...parseFragment(html).childNodes]) {
    if ('tagName' in node) end();
    nodes.push(node);
  }
  end();
  return parts;
}

/** Makes line marks relative to the first, which is returned. */
function recount(nodes: readonly Tree.ChildNode[]): number | undefined {
  let first: number | undefined;
  const visit = (node: Tree.ChildNode): void => {
    if (!('attrs' in node)) return;
    const mark = node.attrs.find(({ name }) => name === 'data-line');
    if (mark) {
      first ??= Number(mark.value);
      mark.value = String(Number(mark.value) - first + 1);
    }
    node.childNodes.forEach(visit);
  };
  nodes.forEach(visit);
  return first;
}
