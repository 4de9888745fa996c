import type { Root } from 'hast';
import { parse, parseFragment, serialize, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { parsesToItself } from '../../src/markdown/parses-to-itself.ts';
import { toHtml } from '../../src/markdown/to-html.ts';

/** The tree's HTML, if the check says that parsing it changes nothing. */
export function keptHtml(tree: Root): string | undefined {
  // Asked first, because `toHtml` does not know every tree.
  if (!parsesToItself(tree, '')) return undefined;
  const html = toHtml(tree);
  return parsesToItself(tree, html) ? html : undefined;
}

/**
 * What the parser makes of it, alone and within a page. Trees of these elements have equal HTML only if they are equal: every element has
 * its end tag, except those that never have content.
 */
export function isReadAlike(html: string): boolean {
  if (serialize(parseFragment(html)) !== html) return false;
  const page = parse(`<!doctype html><article>${html}</article><p>after</p>`);
  const [, root] = page.childNodes as [Tree.Node, Tree.Element];
  return serialize(root) === `<head></head><body><article>${html}</article><p>after</p></body>`;
}
