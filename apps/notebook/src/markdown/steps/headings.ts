import type { Element } from 'hast';
import { textStart } from '../../model/text-start.ts';
import type { Heading } from '../rendered.ts';
import { element, isInside, type Parent, textOf } from '../tree.ts';
import type { IdClaims } from './ids.ts';

/** Makes a slug as GitHub does: lowercase, without punctuation, hyphens for spaces. Letters of all scripts stay. */
export function slugOf(heading: string): string {
  const slug = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  return textStart(slug, 120) || 'section';
}

export const headingText = (node: Element): string => textOf(node).replace(/\s+/g, ' ').trim();

/** Gives a heading its id and anchor. @returns its entry for the page's index, or undefined if it is no heading */
export function placeHeading(node: Element, ancestors: readonly Parent[], ids: IdClaims): Heading | undefined {
  if (!/^h[1-6]$/.test(node.tagName)) return undefined;
  const text = headingText(node);
  const own = node.properties.id;
  const id = typeof own === 'string' ? own : ids.claimNext(slugOf(text));
  node.properties.id = id;
  // The next parser would split a link inside a link.
  if (!isInside(ancestors, 'a') && text !== '') node.children.unshift(anchorTo(id));
  return { depth: Number(node.tagName[1]) as Heading['depth'], id, text };
}

/** The anchor is empty, so that it adds nothing to the heading's text. The style sheet draws its sign. */
function anchorTo(id: string): Element {
  return element('a', { className: ['anchor'], href: `#${id}`, ariaHidden: 'true', tabIndex: -1 });
}
