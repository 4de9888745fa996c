import type { Element, Root } from 'hast';
import type { Parent } from '../tree.ts';

type Direction = 'ltr' | 'rtl';

const blocks = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote table caption td th details summary figcaption'.split(' '),
);
const rightToLeft = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\p{sc=Rohg}\p{sc=Samr}\p{sc=Mand}]/u;
const letter = /\p{L}/u;

export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}

/** By the first letter, as `dir="auto"` would; undefined for what has none. */
function directionOf(node: Root | Element): Direction | undefined {
  for (const child of node.children) {
    if (child.type === 'text') {
      const found = letter.exec(child.value)?.[0];
      if (found !== undefined) return rightToLeft.test(found) ? 'rtl' : 'ltr';
    } else if (child.type === 'element') {
      const found = directionOf(child);
      if (found) return found;
    }
  }
  return undefined;
}

/**
 * A block of another direction than what it stands in says so: then lists, quotes and tables turn round too, not only the words.
 * Pages without a single right-to-left letter are not looked through.
 */
export class Directions {
  readonly #inUse: boolean;

  /** @param inUse whether the page has right-to-left text at all */
  constructor(inUse: boolean) {
    this.#inUse = inUse;
  }

  place(node: Element, ancestors: readonly Parent[]): void {
    if (!this.#inUse || node.properties.dir !== undefined || !blocks.has(node.tagName)) return;
    const own = directionOf(node);
    if (own && own !== inherited(ancestors)) node.properties.dir = own;
  }
}

function inherited(ancestors: readonly Parent[]): string {
  const nearest = ancestors.findLast(ancestor => ancestor.type === 'element' && ancestor.properties.dir !== undefined);
  return nearest?.type === 'element' ? String(nearest.properties.dir) : 'ltr';
}
