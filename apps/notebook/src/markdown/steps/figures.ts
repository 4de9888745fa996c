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
  const [only, ...more] = node.children.filter(child => child.type !== 'text' || child.value.trim() !== '');
  if (only?.type !== 'element' || more.length > 0) return undefined;
  if (only.tagName === 'img') return only;
  return only.tagName === 'a' ? onlyImage(only) : undefined;
}
