import type { Element } from 'hast';
import type { Heading } from '../rendered.ts';
import { element, isInside, type Parent, textOf } from '../tree.ts';
import type { IdClaims } from './ids.ts';

/** As GitHub makes them: lower case, punctuation dropped, spaces to hyphens. Letters of every script stay. */
export function slugOf(heading: string): string {
  const slug = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  return slug.slice(0, 120).toWellFormed() || 'section';
}

export const headingText = (node: Element): string => textOf(node).replace(/\s+/g, ' ').trim();

/** Gives a heading its id and an anchor, and says what the page's index needs. Undefined for what is no heading. */
export function placeHeading(node: Element, ancestors: readonly Parent[], ids: IdClaims): Heading | undefined {
  if (!/^h[1-6]$/.test(node.tagName)) return undefined;
  const text = headingText(node);
  const own = node.properties.id;
  const id = typeof own === 'string' ? own : ids.claimNext(slugOf(text));
  node.properties.id = id;
  // A link inside a link would be torn apart by the next parser.
  if (!isInside(ancestors, 'a') && text !== '') node.children.unshift(anchorTo(id));
  return { depth: Number(node.tagName[1]) as Heading['depth'], id, text };
}

/** Empty, so that the heading's text stays the heading's text; the style sheet draws its sign. */
function anchorTo(id: string): Element {
  return element('a', { className: ['anchor'], href: `#${id}`, ariaHidden: 'true', tabIndex: -1 });
}
