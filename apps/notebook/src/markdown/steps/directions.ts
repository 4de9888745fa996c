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

/** How much of a page is used to detect its direction, and the fewest right-to-left letters that decide it. */
const sampleChars = 40_000;
const fewestLetters = 40;

/** If most letters are right-to-left, so is the page, including its lists, its tables and content without letters. */
export function baseDirectionOf(html: string): Direction {
  // super-linear: the text has at most 40,000 characters. The last tag may be cut.
  const words = html.slice(0, sampleChars).replace(/<[^>]*(?:>|$)/g, ' ');
  const letters = words.match(/\p{L}/gu) ?? [];
  const rtlLetters = letters.filter(hasRightToLeft).length;
  return rtlLetters >= fewestLetters && rtlLetters * 2 > letters.length ? 'rtl' : 'ltr';
}

/** Its text is ours and comes first, but tells nothing about the direction of the writer's text. */
const alertTitle = 'markdown-alert-title';

function hasClass({ properties }: Element, name: string): boolean {
  return Array.isArray(properties.className) && properties.className.includes(name);
}

const isBlock = (node: Element) => (blocks.has(node.tagName) && !hasClass(node, alertTitle)) || hasClass(node, 'markdown-alert');

/** The direction of the first letter, as with `dir="auto"`. Undefined if there is no letter. */
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
 * Sets the direction of a block that differs from its container, so that lists, quotes and tables are mirrored too, not only text.
 * Pages without any right-to-left letter are not searched.
 */
export class Directions {
  readonly #inUse: boolean;
  readonly #base: Direction | undefined;

  /**
   * @param inUse whether the page has any right-to-left text
   * @param base the page's direction. If it is right-to-left, each block states its direction, so that it is right outside the page too
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
