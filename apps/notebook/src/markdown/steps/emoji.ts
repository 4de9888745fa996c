import type { Element } from 'hast';
import { withEmoji } from '../emoji/emoji.ts';
import { type Parent, text, textOf } from '../tree.ts';

/** An element that contains the name of an emoji. */
export interface EmojiPlace {
  readonly node: Element;
  readonly parent: Parent;
  readonly inCode: boolean;
}

const code = new Set(['code', 'pre', 'kbd', 'samp', 'tt']);

export function emojiPlace(node: Element, ancestors: readonly Parent[]): EmojiPlace {
  const inCode = ancestors.some(ancestor => ancestor.type === 'element' && code.has(ancestor.tagName));
  return { node, parent: ancestors.at(-1)!, inCode };
}

/** Replaces each element by text: the emoji, or in code its name. */
export function fillEmoji(places: readonly EmojiPlace[]): void {
  const shown = new Map<unknown, Element['children'][number]>();
  for (const { node, inCode } of places) shown.set(node, text(inCode ? textOf(node) : withEmoji(textOf(node))));
  // Once per parent, because a paragraph may have thousands.
  for (const parent of new Set(places.map(({ parent }) => parent)))
    parent.children = (parent as Element).children.map(child => shown.get(child) ?? child);
}
