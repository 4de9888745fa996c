import type { Root } from 'hast';
import { parseFragment, serialize } from 'parse5';
import { pageElement } from './bounded-tree.ts';
import { OverBound } from './bounds.ts';
import { parsesToItself } from './parses-to-itself.ts';

const mostRounds = 5;

/**
 * HTML from the text may, even after sanitizing, contain elements in places from which the next parser moves them (a link in a link, a
 * block in a table). Mutation attacks are made of such moves, so the output is parsed again until parsing changes nothing.
 */
export function settle(html: string): string {
  let settled = html;
  for (let round = 0; round < mostRounds; round += 1) {
    const again = serialize(parseFragment(pageElement, settled, {}));
    if (again === settled) return settled;
    settled = again;
  }
  throw new OverBound('nesting');
}

/** The same for HTML whose tree is at hand, which mostly shows without parsing that nothing would change. */
export function settleTree(tree: Root, html: string): string {
  return parsesToItself(tree, html) ? html : settle(html);
}
