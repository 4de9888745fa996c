import type { Element } from 'hast';
import { element, text } from '../tree.ts';

/** Turns a lone image, linked or not, into a figure with its title as caption: `![What it shows](picture.png "Caption")`. */
export function makeFigure(node: Element): void {
  if (node.tagName !== 'p') return;
  const image = onlyImage(node);
  const title = image?.properties.title;
  if (!image || typeof title !== 'string' || title.trim() === '') return;
  delete image.properties.title;
  node.tagName = 'figure';
  node.children.push(element('figcaption', {}, [text(title.trim())]));
}

function onlyImage(node: Element): Element | undefined {
  let only: Element | undefined;
  for (const child of node.children) {
    if (child.type === 'text' && child.value.trim() === '') continue;
    // Mostly a paragraph begins with words.
    if (child.type !== 'element' || only) return undefined;
    only = child;
  }
  if (only?.tagName === 'img') return only;
  return only?.tagName === 'a' ? onlyImage(only) : undefined;
}
