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

/** So much of a page says which way it runs, and fewer letters say too little. */
const sampleChars = 40_000;
const fewestLetters = 40;

/** Most of its letters run from the right: then the page does, its lists and tables and what has no letters too. */
export function baseDirectionOf(html: string): Direction {
  // super-linear: of 40,000 characters; the last tag may be cut.
  const words = html.slice(0, sampleChars).replace(/<[^>]*(?:>|$)/g, ' ');
  const letters = words.match(/\p{L}/gu) ?? [];
  const mirrored = letters.filter(hasRightToLeft).length;
  return mirrored >= fewestLetters && mirrored * 2 > letters.length ? 'rtl' : 'ltr';
}

/** Its word is ours: it says nothing of the writer's text, and stands where that begins. */
const alertTitle = 'markdown-alert-title';

function hasClass({ properties }: Element, name: string): boolean {
  return Array.isArray(properties.className) && properties.className.includes(name);
}

const isBlock = (node: Element) => (blocks.has(node.tagName) && !hasClass(node, alertTitle)) || hasClass(node, 'markdown-alert');

/** By the first letter, as `dir="auto"` would; undefined for what has none. */
function directionOf(node: Root | Element): Direction | undefined {
  for (const child of node.children) {
    if (child.type === 'text') {
      const found = letter.exec(child.value)?.[0];
      if (found !== undefined) return rightToLeft.test(found) ? 'rtl' : 'ltr';
    } else if (child.type === 'element' && !hasClass(child, alertTitle)) {
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
  readonly #base: Direction | undefined;

  /**
   * @param inUse whether the page has right-to-left text at all
   * @param base of the page; where it runs from the right each block says its own, so that it stands without the page too
   */
  constructor(inUse: boolean, base: Direction = 'ltr') {
    this.#inUse = inUse;
    this.#base = base === 'ltr' ? base : undefined;
  }

  place(node: Element, ancestors: readonly Parent[]): void {
    if (!this.#inUse || node.properties.dir !== undefined || !isBlock(node)) return;
    const own = directionOf(node);
    if (own && own !== (inherited(ancestors) ?? this.#base)) node.properties.dir = own;
  }
}

function inherited(ancestors: readonly Parent[]): string | undefined {
  const nearest = ancestors.findLast(ancestor => ancestor.type === 'element' && ancestor.properties.dir !== undefined);
  return nearest?.type === 'element' ? String(nearest.properties.dir) : undefined;
}
